import type { Event } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { wireEvent, wireEventJson } from '../../src/http/wire-event.ts';
import { wireSession } from '../../src/routes/wire-session.ts';

const event: Event = {
  id: 'e',
  invocationId: 'i',
  author: 'user',
  timestamp: 1,
  actions: { stateDelta: { a: null } } as never,
};
const maps = { stateDelta: { a: null }, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };

describe('wireEvent', () => {
  it('adds missing action maps to events', () => {
    for (const actions of [undefined, null, {}, { stateDelta: undefined, artifactDelta: null }])
      expect(wireEvent({ ...event, actions: actions as never }).actions).toEqual({ ...maps, stateDelta: {} });
    expect(wireEvent(event).actions).toEqual(maps);
    expect(JSON.parse(wireEventJson(event)).actions).toEqual(maps);
  });

  it('removes nulls outside opaque fields', () => {
    const content = { parts: [{ functionCall: { name: 'f', args: { a: null } }, thought: null }], role: null } as never;
    const withNulls = { ...event, content, errorCode: null as never, branch: undefined };
    const expected = {
      ...{ id: 'e', invocationId: 'i', author: 'user', timestamp: 1, actions: maps },
      content: { parts: [{ functionCall: { name: 'f', args: { a: null } } }] },
    };
    expect(JSON.parse(wireEventJson(withNulls))).toEqual(expected);
    expect(wireEvent(withNulls)).toEqual(expected);
  });
});

describe('wireSession', () => {
  it('adds an empty array of events to a session of a list', () => {
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
});
