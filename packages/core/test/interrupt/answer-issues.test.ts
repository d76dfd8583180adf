import { formatAnswerIssues, parseAnswerIssues } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const interrupt = { id: 'q1', kind: 'input' } as const;

describe('parseAnswerIssues', () => {
  it.each([[['is odd']], [['stay.nights: must be at most 3', 'is odd.']], [['']]])(
    'returns %j from the message of formatAnswerIssues',
    (issues) => {
      expect(parseAnswerIssues(formatAnswerIssues(interrupt, issues))).toEqual(issues);
    },
  );

  it('returns undefined for any other message', () => {
    expect(parseAnswerIssues('Interrupt "q1" has expired.')).toBeUndefined();
    expect(parseAnswerIssues(formatAnswerIssues(interrupt, ['is odd']).slice(0, -1))).toBeUndefined();
  });
});
