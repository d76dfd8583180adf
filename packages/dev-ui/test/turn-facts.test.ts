import { describe, expect, it } from 'vitest';
import { toEntries } from '../page/conversation/entries.ts';
import { turnFacts } from '../page/conversation/turn-facts.ts';
import { anEvent } from './an-event.ts';

const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 125 };
const question = anEvent(1, { author: 'user', parts: [{ text: 'A room?' }] });
const call = anEvent(2, {
  parts: [{ functionCall: { id: 'c', name: 'ask', args: {} } }],
  ...{ usageMetadata, modelVersion: 'flash' },
});
const given = anEvent(60, {
  author: 'user',
  parts: [{ functionResponse: { id: 'c', name: 'ask', response: { yes: true } } }],
});
const answer = anEvent(63, { parts: [{ text: 'Yes.' }], usageMetadata, modelVersion: 'pro' });

describe('turnFacts', () => {
  it('counts the time of the turn without the wait for a person', () => {
    expect(turnFacts([question, call, given, answer]).map(({ durationMs }) => Math.round(durationMs))).toEqual([4_000]);
  });

  it('leaves out the wait for a timer', () => {
    const expired = { ...given, author: 'system' };
    expect(turnFacts([question, call, expired, answer]).map(({ durationMs }) => Math.round(durationMs))).toEqual([
      4_000,
    ]);
  });

  it('adds up tokens and names each model once', () => {
    const [turn] = turnFacts([question, call, given, answer]);
    expect(turn).toMatchObject({ tokensIn: 200, tokensOut: 50, models: ['flash', 'pro'], cost: undefined });
  });

  it('shows a cost only if an event has one', () => {
    const priced = { ...answer, customMetadata: { cost: 0.002 } };
    expect(turnFacts([question, priced])[0]!.cost).toBe(0.002);
  });

  it('returns facts for the last row of a turn, and no facts without an answer', () => {
    const rows = toEntries([question, call, answer, { ...question, id: 'q2', invocationId: 'invocation-2' }]);
    expect(rows.map(({ turn }) => turn?.tokensIn)).toEqual([undefined, undefined, 200, undefined]);
  });
});
