import assert from 'node:assert/strict';
import type { CaseTools } from '../case.ts';

/** Returns another instance over the same storage. */
export async function reopen<Subject>(t: CaseTools<Subject>): Promise<Subject> {
  assert.ok(t.reopen, 'A suite that claims "durable" or "shared" needs reopen.');
  return t.reopen();
}
