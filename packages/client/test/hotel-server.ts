// A real handler with the app `hotel`, and a client of it.
import type { Agent, Event } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler, SpanMemory } from '@thole/server';
import type { Handler, HandlerOptions } from '@thole/server';
import { serve } from '@thole/server/node';
import type { RunningServer } from '@thole/server/node';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { onTestFinished } from 'vitest';
import { createClient } from '../src/index.ts';
import type { Client, ClientOptions } from '../src/index.ts';

export interface Hotel {
  client: Client;
  handler: Handler;
}

/** Creates the app `hotel` with services in memory. Its agent `porter` answers with these answers. */
export function createHotel(
  answers: readonly ScriptedAnswer[] = [],
  options: Partial<HandlerOptions> & { agent?: Agent; client?: Partial<ClientOptions> } = {},
): Hotel {
  const { agent, client, ...more } = options;
  const porter = new LlmAgent({ name: 'porter', description: 'At the door.', model: new ScriptedLlm(...answers) });
  const handler = createHandler({
    apps: [{ name: 'hotel', rootAgent: agent ?? porter }],
    sessionService: new InMemorySessionService(),
    memoryService: new InMemoryMemoryService(),
    artifactService: new InMemoryArtifactService(),
    traces: new SpanMemory(),
    ...more,
  });
  onTestFinished(() => handler.close({ timeoutMs: 1 }));
  const fetch = (address: string, init: RequestInit): Promise<Response> => handler(new Request(address, init));
  return { handler, client: createClient({ baseUrl: 'http://localhost', fetch, ...client }) };
}

/** Creates the same app on a real HTTP server, whose connections a test can close. */
export async function serveHotel(...p: Parameters<typeof createHotel>): Promise<Hotel & { server: RunningServer }> {
  const { handler } = createHotel(...p);
  const server = await serve(handler, { port: 0 });
  onTestFinished(() => server.close({ timeoutMs: 1 }));
  const client = createClient({ baseUrl: server.url, reconnect: { delayMs: 1 }, ...p[1]?.client });
  return { handler, server, client };
}

/** Returns the text of an event, followed by `…` if it is partial. */
export function textOf({ content, partial }: Event): string {
  return `${content?.parts?.map(({ text }) => text ?? '').join('')}${partial ? '…' : ''}`;
}
