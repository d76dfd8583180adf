import { createEvent, createEventActions } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import type { Event } from '@thole/core';
import { expect, it } from 'vitest';
import { PartialJson } from '../../src/http/partial-json.ts';
import { wireJson } from '../../src/http/wire-event.ts';

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
  partial('no content', { content: undefined }),
  partial('no time', { timestamp: undefined as never }),
  partial('no maps', { actions: {} as never }),
];

it('says of each part of a stream what the event says by itself (contract 38)', () => {
  const json = new PartialJson();
  for (const event of [...stream, ...stream]) expect(JSON.parse(json.of(event))).toEqual(JSON.parse(wireJson(event)));
});

it('tells what an agent has changed in actions that it shows again', () => {
  const json = new PartialJson();
  const own = createEventActions();
  json.of(partial('one', { actions: own }));
  own.stateDelta['a'] = 1;
  expect(JSON.parse(json.of(partial('two', { actions: own }))).actions.stateDelta).toEqual({ a: 1 });
});
