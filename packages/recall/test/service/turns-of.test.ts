import { createEvent, textOf } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { turnsOf } from '../../src/service/turns-of.ts';

const said = (invocationId: string, text: string) =>
  createEvent({ invocationId, author: 'user', content: { role: 'user', parts: [{ text }] } });

describe('turnsOf', () => {
  it('skips rewound events and their marker', () => {
    const marker = createEvent({ invocationId: 'i3', author: 'user', actions: { rewindBeforeInvocationId: 'i2' } });
    const turns = turnsOf('s', [said('i1', 'tea'), said('i2', 'milk'), marker, said('i4', 'honey')]);
    expect(turns.map(({ content }) => textOf(content))).toEqual(['tea', 'honey']);
  });
});
