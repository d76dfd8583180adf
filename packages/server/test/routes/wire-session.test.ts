import type { Event } from '@thole/core';
import { expect, it } from 'vitest';
import { wireEvent, wireJson } from '../../src/http/wire-event.ts';
import { wireSession } from '../../src/routes/wire-session.ts';

const event: Event = {
  id: 'e',
  invocationId: 'i',
  author: 'user',
  timestamp: 1,
  actions: { stateDelta: { a: null } } as never,
};
const maps = { stateDelta: { a: null }, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };

it('gives an event the four action maps, also where a session service leaves some out', () => {
  for (const actions of [undefined, null, {}, { stateDelta: undefined, artifactDelta: null }])
    expect(wireEvent({ ...event, actions: actions as never }).actions).toEqual({ ...maps, stateDelta: {} });
  expect(wireEvent(event).actions).toEqual(maps);
  expect(JSON.parse(wireJson(event)).actions).toEqual(maps);
});

it('sends no null but those in maps of others’ names, whoever made the event', () => {
  const content = { parts: [{ functionCall: { name: 'f', args: { a: null } }, thought: null }], role: null } as never;
  const made = { ...event, content, errorCode: null as never, branch: undefined };
  const expected = {
    ...{ id: 'e', invocationId: 'i', author: 'user', timestamp: 1, actions: maps },
    content: { parts: [{ functionCall: { name: 'f', args: { a: null } } }] },
  };
  expect(JSON.parse(wireJson(made))).toEqual(expected);
  expect(wireEvent(made)).toEqual(expected);
});

it('gives a session of a list an empty array of events', () => {
  const summary = {
    id: 's',
    appName: 'demo',
    userId: 'ann',
    state: {},
    lastUpdateTime: 1,
    lastSeq: 0,
    incarnation: 'x',
  };
  expect(wireSession(summary)).toEqual({ ...summary, events: [] });
  expect(wireSession({ ...summary, events: [event] }).events[0]!.actions).toEqual(maps);
});
