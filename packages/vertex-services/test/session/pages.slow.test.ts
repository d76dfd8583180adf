import { createEvent } from '@thole/core';
import type { Event } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { VertexAiSessionService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

const runtime = new FixedRuntime();
const place = { project: 'hotel', location: 'us-central1', agentEngineId: '700' };
const open = (): VertexAiSessionService => new VertexAiSessionService({ ...place, ...server.options, runtime });
const key = { appName: 'hotel', userId: 'ada', sessionId: 's1' };

function userEvent(n: number): Event {
  const content = { role: 'user' as const, parts: [{ text: `${n}` }] };
  return { ...createEvent({ author: 'user', invocationId: 'i1', content }), id: `e${n}`, timestamp: 1_700_000_000 };
}

describe('VertexAiSessionService', () => {
  it('reads all pages of events and of sessions', async () => {
    const service = open();
    const session = await service.createSession(key);
    for (let i = 0; i < 205; i++) await service.appendEvent({ session, event: userEvent(i) });
    const read = await open().getSession(key);
    expect(read!.events.map(({ id }) => id)).toEqual(Array.from({ length: 205 }, (_, i) => `e${i}`));
    expect(server.requestsOn('GET', '/events').at(-1)!.query.get('pageToken')).toBe('page-200');
    for (let i = 0; i < 101; i++) await service.createSession({ ...key, sessionId: `more-${i}` });
    expect((await service.listSessions(key)).sessions).toHaveLength(102);
  });
});
