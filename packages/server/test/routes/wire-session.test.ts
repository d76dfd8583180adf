import type { Event } from '@thole/core';
import { expect, it } from 'vitest';
import { wireEvent, wireSession } from '../../src/routes/wire-session.ts';

const event: Event = {
  id: 'e',
  invocationId: 'i',
  author: 'user',
  timestamp: 1,
  actions: { stateDelta: { a: null } } as never,
};
const maps = { stateDelta: { a: null }, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };

it('gives an event the four action maps, also where a session service leaves some out', () => {
  expect(wireEvent(event).actions).toEqual(maps);
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
