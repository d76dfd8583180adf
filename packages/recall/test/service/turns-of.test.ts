import { createEvent, textOf } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { turnsOf } from '../../src/service/turns-of.ts';

const messageOf = (invocationId: string, text: string) =>
  createEvent({ invocationId, author: 'user', content: { role: 'user', parts: [{ text }] } });

describe('turnsOf', () => {
  it('skips rewound events and their marker', () => {
    const marker = createEvent({ invocationId: 'i3', author: 'user', actions: { rewindBeforeInvocationId: 'i2' } });
    const turns = turnsOf('s', [messageOf('i1', 'tea'), messageOf('i2', 'milk'), marker, messageOf('i4', 'honey')]);
    expect(turns.map(({ content }) => textOf(content))).toEqual(['tea', 'honey']);
  });

  it('skips the results of steps', () => {
    const step = { path: 'root', name: 'price', n: 0, callId: null, result: 'Tea costs 4 euros.' };
    const result = createEvent({ invocationId: 'i1', author: 'root', customMetadata: { step } });
    const turns = turnsOf('s', [messageOf('i1', 'tea'), result]);
    expect(turns.map(({ content }) => textOf(content))).toEqual(['tea']);
  });

  it('takes the text of an answer of an agent tool as text of the agent, not of the user', () => {
    const functionResponse = { id: 'c1', name: 'expert', response: { result: 'Mint.' } };
    const parts = [{ functionResponse }, { text: 'Mint.' }];
    const answer = createEvent({ invocationId: 'i1', author: 'root', content: { role: 'user', parts } });
    const [turn] = turnsOf('s', [answer]);
    expect(turn).toMatchObject({ author: 'root', content: { role: 'model', parts: [{ text: 'Mint.' }] } });
  });
});
