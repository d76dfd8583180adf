import { silentLogger } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler } from '@thole/server';
import { fails, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ClientError, createClient } from '../src/index.ts';
import type { Client } from '../src/index.ts';

function clientOf(development: boolean): { client: Client; sessions: InMemorySessionService } {
  const sessions = new InMemorySessionService();
  const model = new ScriptedLlm(fails(new TypeError('rows is not iterable')));
  const apps = [{ name: 'hotel', rootAgent: new LlmAgent({ name: 'desk', model }) }];
  const handler = createHandler({ apps, sessionService: sessions, development, logger: silentLogger });
  const fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> => handler(new Request(url, init));
  return { client: createClient({ baseUrl: 'http://localhost', fetch }), sessions };
}

const ref = { appName: 'hotel', userId: 'ada', sessionId: 'lobby' };

async function errorOfRun({ client, sessions }: ReturnType<typeof clientOf>): Promise<ClientError> {
  await sessions.createSession(ref);
  return Array.fromAsync(client.run({ ...ref, newMessage: 'Hello' })).then(
    () => expect.unreachable(),
    (error: ClientError) => error,
  );
}

describe('ClientError.debug', () => {
  it('has message, stack and causes from a server in development', async () => {
    const hotel = clientOf(true);
    expect((await errorOfRun(hotel)).debug).toMatchObject({
      message: expect.stringMatching(/^MODEL_FAILED: /) as string,
      stack: expect.stringContaining('error-debug.test.ts') as string,
      causes: ['TypeError: rows is not iterable'],
    });
    hotel.sessions.getSession = () => Promise.reject(new TypeError('no rows'));
    const error = await hotel.client.sessions.get(ref).catch((thrown: unknown) => thrown);
    expect(ClientError.is(error) && error.debug?.message).toBe('TypeError: no rows');
  });

  it('is undefined from a server in production', async () => {
    expect((await errorOfRun(clientOf(false))).debug).toBeUndefined();
  });
});
