import { createEvent } from '@thole/core';
import type { Event } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { AnswerPieces } from '../../src/front-ends/answer-pieces.ts';

function event(author: string, text: string, partial: boolean = true): Event {
  const content = { role: 'model' as const, parts: [{ text }] };
  return createEvent({ id: `e-${author}`, author, branch: author, content, ...(partial && { partial }) });
}

function textsOf(pieces: AnswerPieces, events: readonly Event[]): string[] {
  return [...events.flatMap((each) => pieces.read(each)), ...pieces.end()].map(({ text }) => text);
}

describe('AnswerPieces', () => {
  it('returns an answer from its start if it began while another answer was open', () => {
    const events = [
      ...[
        event('a', 'A1 '),
        event('b', 'B1 '),
        event('a', 'A1 A2', false),
        event('b', 'B2'),
        event('b', 'B1 B2', false),
      ],
    ];
    expect(textsOf(new AnswerPieces(new Set()), events)).toEqual(['A1 ', 'A2', 'B1 B2']);
  });

  it('returns waiting answers at the end if the open answer never ended', () => {
    const events = [event('a', 'A1 '), event('b', 'B1', false)];
    expect(textsOf(new AnswerPieces(new Set()), events)).toEqual(['A1 ', 'B1']);
  });

  it('returns text that partial events did not contain, but no changed text', () => {
    const missed = [event('a', 'Good '), event('a', 'Good day.', false)];
    expect(textsOf(new AnswerPieces(new Set()), missed)).toEqual(['Good ', 'day.']);
    const changed = [event('a', 'Good '), event('a', 'Bad day.', false)];
    expect(textsOf(new AnswerPieces(new Set()), changed)).toEqual(['Good ']);
  });
});
