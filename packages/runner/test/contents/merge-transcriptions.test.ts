import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import { agent, contentsRequest, historyOf, lines } from './history-of.ts';

const userSpeech = (text: string, finished?: boolean): EventInit => ({
  author: 'user',
  inputTranscription: { text, finished },
});
const agentSpeech = (author: string, text: string, finished?: boolean): EventInit => ({
  author,
  outputTranscription: { text, finished },
});
const contents = (...events: EventInit[]): string[] => lines(buildContents(historyOf(...events), contentsRequest()));

describe('mergeTranscriptions', () => {
  it('joins consecutive transcriptions of one speaker (contract 17)', () => {
    expect(contents(userSpeech('Hel'), userSpeech('lo.'), agentSpeech('a', 'Good'), agentSpeech('a', ' day.'))).toEqual(
      ['user: Hello.', 'model: Good day.'],
    );
  });

  it('separates finished utterances with a space', () => {
    expect(contents(userSpeech('One.', true), userSpeech('Two.', true))).toEqual(['user: One. Two.']);
  });

  it('does not join across another event', () => {
    expect(contents(userSpeech('One.'), agent('a', 'Yes?'), userSpeech('Two.'))).toEqual([
      'user: One.',
      'model: Yes?',
      'user: Two.',
    ]);
  });

  it('retells the speech of another agent', () => {
    expect(contents(agentSpeech('b', 'Good '), agentSpeech('b', 'day.'))).toEqual([
      'user: Context, from another agent:',
      'user: [b] said: Good day.',
    ]);
  });
});
