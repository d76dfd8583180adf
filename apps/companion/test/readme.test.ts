import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config/parse-config.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = Array.from(readme.matchAll(/```yaml\n([^]*?)```/g), ([, text]) => text!);

describe('README of the companion', () => {
  it('shows all defaults of companion.yaml, and valid examples', () => {
    expect(blocks).toHaveLength(2);
    expect(parseConfig(blocks[0]!)).toEqual(parseConfig(''));
    expect(parseConfig(blocks[1]!)).toMatchObject({
      users: [{ id: 'ann', role: 'admin' }],
      channels: { http: { port: 8020 } },
    });
  });
});
