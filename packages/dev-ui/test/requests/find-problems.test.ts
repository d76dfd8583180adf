import { ClientError } from '@thole/client';
import type { Interrupt, Json } from '@thole/core';
import { formatAnswerIssues } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { findProblems } from '../../page/requests/find-problems.ts';

const answer = (id: string, kind: Interrupt['kind'], value: Json, paths: string[] = []) => ({
  interrupt: { id, kind, invocationId: 'i', agentName: 'a', createdAt: 1 },
  value,
  paths,
});
const input = answer('q1', 'input', { stay: {} }, ['', 'stay', 'stay.nights']);
const plain = answer('q2', 'confirmation', { confirmed: true });
const edited = answer('q3', 'confirmation', { confirmed: true, editedArguments: {} });
const signIn = answer('q4', 'credential', {});
const all = [input, plain, edited, signIn];
const find = (detail: string, code: string, sent = all) =>
  Object.fromEntries(findProblems(new ClientError(detail, { code, status: 422 }), sent));

describe('findProblems', () => {
  it('assigns issues of a schema to the fields of the request', () => {
    const issues = ['stay.nights: must be at most 3', 'is odd', 'no room left.'];
    const detail = formatAnswerIssues(input.interrupt, issues);
    expect(find(detail, 'ANSWER_INVALID')).toEqual({
      q1: { 'stay.nights': 'Must be at most 3.', '': 'Is odd. No room left.' },
    });
  });

  it('finds the request that an error names, or the only possible request', () => {
    const expired = 'Interrupt "q2" has expired.';
    expect(find(expired, 'INTERRUPT_EXPIRED')).toEqual({ q2: { '': expired } });
    const refused = 'The arguments of book are invalid: room: is required.';
    expect(find(refused, 'ANSWER_INVALID')).toEqual({ q3: { arguments: refused } });
    expect(find('No code.', 'SIGN_IN_INVALID')).toEqual({ q4: { '': 'No code.' } });
  });

  it('returns no problems for an error that does not belong to a request', () => {
    expect(find('Too busy.', 'OVERLOADED', [plain])).toEqual({});
    expect(findProblems(new Error('x'), all).size).toBe(0);
  });
});
