import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import { agent, asked, historyOf, lines } from './history-of.ts';

const heard = (text: string, finished?: boolean): EventInit => ({
  author: 'user',
  inputTranscription: { text, finished },
});
const spoken = (author: string, text: string, finished?: boolean): EventInit => ({
  author,
  outputTranscription: { text, finished },
});
const contents = (...events: EventInit[]): string[] => lines(buildContents(historyOf(...events), asked()));

describe('mergeTranscriptions', () => {
  it('joins pieces of one speaker that follow each other (contract 17)', () => {
    expect(contents(heard('Hel'), heard('lo.'), spoken('a', 'Good'), spoken('a', ' day.'))).toEqual([
      'user: Hello.',
      'model: Good day.',
    ]);
  });

  it('parts finished utterances by a blank', () => {
    expect(contents(heard('One.', true), heard('Two.', true))).toEqual(['user: One. Two.']);
  });

  it('does not join across something else that was said', () => {
    expect(contents(heard('One.'), agent('a', 'Yes?'), heard('Two.'))).toEqual([
      'user: One.',
      'model: Yes?',
      'user: Two.',
    ]);
  });

  it('retells what another agent spoke', () => {
    expect(contents(spoken('b', 'Good '), spoken('b', 'day.'))).toEqual([
      'user: Context, from another agent:',
      'user: [b] said: Good day.',
    ]);
  });
});
