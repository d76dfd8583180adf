import { createClient } from '@thole/client';
import type { Client } from '@thole/client';
import { textOf } from '@thole/core';
import type { Llm, LlmRequest, SessionService } from '@thole/core';
import { devUi } from '@thole/dev-ui';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler, SpanMemory } from '@thole/server';
import type { HandlerOptions } from '@thole/server';
import { serve } from '@thole/server/node';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { onTestFinished } from 'vitest';
import { hotelTools } from './hotel-tools.ts';

/** A hotel behind a real server, with the page at `/dev-ui/`. */
export interface HotelServer {
  url: string;
  client: Client;
  model: ScriptedLlm;
  sessionService: SessionService;
  /** Ends the tool `call_taxi`, which waits for this call. */
  taxiComes(): void;
  /** Stops the server: it answers no request until `start()`. */
  stop(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
}

export interface HotelServerOptions extends Partial<HandlerOptions> {
  /** The model waits for this promise after each part of an answer. */
  afterPartial?: Promise<void> | (() => Promise<void>) | undefined;
}

/** Starts a server with the app `hotel`. Its model returns one of `answers` per call, and all services are in memory. */
export async function startHotelServer(
  answers: readonly ScriptedAnswer[] = [],
  { afterPartial, ...options }: HotelServerOptions = {},
): Promise<HotelServer> {
  const taxi = Promise.withResolvers<void>();
  const model = new ScriptedLlm(...answers);
  const sessionService = new InMemorySessionService();
  const concierge = new LlmAgent({
    name: 'concierge',
    description: 'Books rooms and remembers what guests like.',
    model: afterPartial === undefined ? model : withPauses(model, afterPartial),
    instruction: 'You are the concierge of a small hotel.\nThe guest likes: {user:likes?}',
    tools: hotelTools(taxi.promise),
  });
  const handler = createHandler({
    apps: [{ name: 'hotel', rootAgent: concierge, suggestions: ['Is a room free?', 'Book room 12 for two nights.'] }],
    sessionService,
    memoryService: new InMemoryMemoryService(),
    artifactService: new InMemoryArtifactService(),
    traces: new SpanMemory(),
    onDisconnect: 'continue',
    ui: devUi(),
    ...options,
  });
  let served = await serve(handler, { port: 0 });
  const { url } = served;
  const port = Number(new URL(url).port);
  onTestFinished(async () => {
    served.server.closeAllConnections();
    served.server.close();
    await handler.close({ timeoutMs: 1 });
  });
  return {
    url,
    client: createClient({ baseUrl: url }),
    model,
    sessionService,
    taxiComes: taxi.resolve,
    async stop() {
      served.server.closeAllConnections();
      await new Promise((resolve) => served.server.close(resolve));
    },
    async start() {
      served = await serve(handler, { port });
    },
  };
}

/** Returns a model that waits for `afterPartial` after each partial response. */
function withPauses(model: ScriptedLlm, afterPartial: Promise<void> | (() => Promise<void>)): Llm {
  return {
    model: model.model,
    specVersion: 1,
    async *generateContentAsync(request, options) {
      for await (const response of model.generateContentAsync(request, options)) {
        yield response;
        if (response.partial) await (typeof afterPartial === 'function' ? afterPartial() : afterPartial);
      }
    },
  };
}

/** Returns the user's last text in a request. Empty if there is none. */
export function lastUserText({ contents }: LlmRequest): string {
  const texts = contents.filter(({ role }) => role === 'user').map(textOf);
  return texts.findLast((text) => text !== '') ?? '';
}
