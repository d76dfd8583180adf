import type { Interrupt } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { parseAnswers, questionFor } from '../../src/conversation/question.ts';
import { defaultTexts } from '../../src/dispatcher/texts.ts';

describe('questionFor', () => {
  it('shows characters that change the direction of text as escapes in an approval', () => {
    const interrupt = { kind: 'confirmation', toolName: 'pay', args: { to: 'a\u202eb\u2066c\u009b' } } as unknown;
    expect(questionFor(interrupt as Interrupt, defaultTexts)!.text).toBe(
      'pay {"to":"a\\u202eb\\u2066c\\u009b"}\n(yes / no)',
    );
  });

  it('shows an argument that follows a very long argument in an approval', () => {
    const args = { note: 'x'.repeat(100_000), to: 'mallory' };
    const interrupt = { kind: 'confirmation', toolName: 'pay', args } as unknown;
    expect(questionFor(interrupt as Interrupt, defaultTexts)!.text).toMatch(
      /characters are not shown.*"to":"mallory"\}\n\(yes/s,
    );
  });
});

describe('parseAnswers', () => {
  // Quadratic time would exceed the time limit of the test.
  it('reads a text with many full stops in linear time', () => {
    const interrupt = { kind: 'confirmation' } as Interrupt;
    expect(parseAnswers(`${'.'.repeat(200_000)}x`, interrupt, defaultTexts)).toEqual([]);
    expect(parseAnswers('Yes!..', interrupt, defaultTexts)).toEqual([true]);
  });
});
