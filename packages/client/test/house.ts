// A hotel behind the real handler, and a client of it.
import type { Agent, Event } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler, SpanMemory } from '@thole/server';
import type { Handler, HandlerOptions } from '@thole/server';
import { serve } from '@thole/server/node';
import type { Served } from '@thole/server/node';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { onTestFinished } from 'vitest';
import { createClient } from '../src/index.ts';
import type { Client, ClientOptions } from '../src/index.ts';

export interface House {
  client: Client;
  handler: Handler;
}

/** The app `hotel`, whose porter gives these answers; its services are in memory. */
export function house(
  answers: readonly ScriptedAnswer[] = [],
  options: Partial<HandlerOptions> & { agent?: Agent; client?: Partial<ClientOptions> } = {},
): House {
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

/** The same over a real connection, which the test can break. */
export async function servedHouse(...p: Parameters<typeof house>): Promise<House & { served: Served }> {
  const { handler } = house(...p);
  const served = await serve(handler, { port: 0 });
  onTestFinished(() => served.close({ timeoutMs: 1 }));
  const client = createClient({ baseUrl: served.url, reconnect: { delayMs: 1 }, ...p[1]?.client });
  return { handler, served, client };
}

/** The text of an event, `…` behind a partial's. */
export function textOf({ content, partial }: Event): string {
  return `${content?.parts?.map(({ text }) => text ?? '').join('')}${partial ? '…' : ''}`;
}
