import { errorCodes } from '@thole/core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('docs/errors.md equals the table of error codes in core', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `[A-Z][A-Z_]+` \|/.test(line));
  const expected = Object.entries(errorCodes).map(
    ([code, { status, retryable, docs }]) => `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${docs} |`,
  );
  expect(rows, 'docs/errors.md must have the rows with - and not those with +').toEqual(expected);
});
