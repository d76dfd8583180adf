import { HttpAgent } from '@ag-ui/client';
import type { BaseEvent } from '@ag-ui/client';
import { silentLogger } from '@thole/core';
import type { LlmRequest, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { createHandler } from '../../src/index.ts';
import type { Handler, HandlerOptions } from '../../src/index.ts';

/** A handler with one app, `demo`, and the client of AG-UI for it. */
export interface AgUiDemo {
  handler: Handler;
  client: HttpAgent;
  sessions: SessionService;
  /** Requests of the agent's model. */
  requests: readonly LlmRequest[];
  /** Adds a message of the user and runs the agent. Returns the events of the run. */
  send(text: string, parameters?: RunParameters): Promise<AgUiEvent[]>;
  /** Runs the agent without a new message. */
  run(parameters?: RunParameters): Promise<AgUiEvent[]>;
}

type RunParameters = NonNullable<Parameters<HttpAgent['runAgent']>[0]>;
// oxlint-disable-next-line typescript/no-explicit-any -- tests read events of every type
export type AgUiEvent = BaseEvent & { [name: string]: any };

export function agUiDemo(
  p: Partial<HandlerOptions> & {
    answers?: readonly ScriptedAnswer[];
    rootAgent?: LlmAgent;
    headers?: Record<string, string>;
  } = {},
): AgUiDemo {
  const { answers = [], headers = {}, rootAgent, ...options } = p;
  const model = new ScriptedLlm(...answers);
  const sessions = options.sessionService ?? new InMemorySessionService();
  const handler = createHandler({
    apps: [{ name: 'demo', rootAgent: rootAgent ?? new LlmAgent({ name: 'clerk', model }) }],
    sessionService: sessions,
    logger: silentLogger,
    ...options,
  });
  const client = newClient(handler, headers);
  const run: AgUiDemo['run'] = (parameters) => eventsOf(client, parameters);
  return {
    ...{ handler, client, sessions, requests: model.requests, run },
    send(text, parameters) {
      client.addMessage({ id: crypto.randomUUID(), role: 'user', content: text });
      return run(parameters);
    },
  };
}

/** Returns the client of a thread. */
export function newClient(handler: Handler, headers: Record<string, string> = {}, threadId: string = 't'): HttpAgent {
  return new HttpAgent({
    url: 'http://localhost/ag-ui/demo',
    threadId,
    headers,
    fetch: (url, init) => handler(new Request(url, init)),
  });
}

/** Runs an agent and returns the events that its client has accepted. */
export async function eventsOf(client: HttpAgent, parameters?: RunParameters): Promise<AgUiEvent[]> {
  const events: AgUiEvent[] = [];
  await client.runAgent(parameters, { onEvent: ({ event }) => void events.push(event as AgUiEvent) });
  return events;
}

/** Returns a short text for each event: its type and its most important member. */
export function describeEvents(events: readonly AgUiEvent[]): string[] {
  return events.map(({ type, ...event }) => {
    const word: unknown =
      event['delta'] ?? event['stepName'] ?? event['toolCallName'] ?? event['content'] ?? event['outcome']?.type;
    return word === undefined ? type : `${type} ${typeof word === 'string' ? word : JSON.stringify(word)}`;
  });
}

export function outcomeOf(events: readonly AgUiEvent[]): unknown {
  return events.at(-1)!['outcome'];
}
