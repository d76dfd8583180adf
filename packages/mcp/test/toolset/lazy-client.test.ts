import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src/toolset');

it('McpToolset loads the SDK only when a server is used', () => {
  const files = globSync('**/*.ts', { cwd: source });
  const statements = files.flatMap((file) => [
    ...readFileSync(join(source, file), 'utf8').matchAll(/^import[^;]*from '@modelcontextprotocol[^']*';$/gm),
  ]);
  expect(files.length).toBeGreaterThan(10);
  expect(statements.map(([text]) => text).filter((text) => !text.startsWith('import type'))).toEqual([]);
});
