import { createEvent, createEventActions } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import type { Event } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { PartialEventSerializer } from '../../src/http/partial-event-serializer.ts';
import { wireEventJson } from '../../src/http/wire-event.ts';

const actions = deepFreeze(createEventActions());
const partial = (text: string, more: Partial<Event> = {}): Event => ({
  ...createEvent({ author: 'root', invocationId: 'i', content: { role: 'model', parts: [{ text }] } }),
  ...{ id: 'e', partial: true, actions, ...more },
});

const stream: readonly Event[] = [
  partial('one'),
  partial('two', { timestamp: 2.5 }),
  partial('of another answer', { id: 'e2' }),
  partial('with usage', { usageMetadata: { promptTokenCount: 1 } }),
  partial('without it'),
  partial('of a branch', { branch: 'a.b' }),
  partial('quotes "\n', { content: { role: 'model', parts: [{ text: 'x', thought: null as never }] } }),
  partial('a lone half \ud800, "quotes" and {"a":null}'),
  partial('no text', { content: { role: 'model', parts: [{ text: null as never }] } }),
  partial('no part', { content: { role: 'model', parts: [null as never] } }),
  partial('a thought', { content: { role: 'model', parts: [{ text: 'x', thought: true }] } }),
  partial('two parts', { content: { role: 'model', parts: [{ text: 'x' }, { text: 'y' }] } }),
  partial('no parts', { content: { role: 'model' } }),
  partial('of a user', { content: { role: 'user', parts: [{ text: 'x' }] } }),
  partial('more', { content: { role: 'model', parts: [{ text: 'x' }], more: 1 } as never }),
  partial('no content', { content: undefined }),
  partial('no time', { timestamp: undefined as never }),
  partial('no maps', { actions: {} as never }),
];

describe('PartialEventSerializer', () => {
  it('returns the same JSON as wireEventJson for each event of a stream (contract 38)', () => {
    const serializer = new PartialEventSerializer();
    for (const event of [...stream, ...stream])
      expect(JSON.parse(serializer.serialize(event))).toEqual(JSON.parse(wireEventJson(event)));
  });

  it('includes changes that an agent makes to an object it yields again', () => {
    const serializer = new PartialEventSerializer();
    const own = createEventActions();
    serializer.serialize(partial('one', { actions: own }));
    own.stateDelta['a'] = 1;
    expect(JSON.parse(serializer.serialize(partial('two', { actions: own }))).actions.stateDelta).toEqual({ a: 1 });
  });
});
