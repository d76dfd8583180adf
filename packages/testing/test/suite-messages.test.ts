import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../src/suites');

describe('Suites', () => {
  it('give every assert.ok a message', () => {
    // Without a message, Node prints the expression as it is in the built package.
    const silent = globSync('*.ts', { cwd: folder }).flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => /assert\.ok\(.*\);$/.test(line) && !/, ['`].*['`]\);$/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(silent).toEqual([]);
  });
});
