import type { Agent } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { createHandler } from '../src/index.ts';
import type { Handler, HandlerOptions } from '../src/index.ts';

/** A handler with one app, `demo`. User `ann` has a session `s` in it. */
export interface Demo {
  handler: Handler;
  sessions: NonNullable<HandlerOptions['sessionService']>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  /** Sends a message of ann in her session. `body` is merged into the body. */
  run(path: '/run' | '/run_sse', body?: object, init?: RequestInit): Promise<Response>;
}

export async function demo(
  p: Partial<HandlerOptions> & {
    answers?: readonly ScriptedAnswer[];
    rootAgent?: Agent;
    /** True if an earlier handler has created the session. */
    isNext?: boolean;
  } = {},
): Promise<Demo> {
  const { answers = [], rootAgent, isNext = false, ...options } = p;
  const sessions = options.sessionService ?? new InMemorySessionService();
  const model = new ScriptedLlm(...answers);
  const root = rootAgent ?? new LlmAgent({ name: 'concierge', model });
  const handler = createHandler({ apps: [{ name: 'demo', rootAgent: root }], sessionService: sessions, ...options });
  if (!isNext) await sessions.createSession({ ...session });
  const get: Demo['get'] = (path, headers = {}) => handler(new Request(`http://localhost${path}`, { headers }));
  const post: Demo['post'] = (path, body, init) =>
    handler(new Request(`http://localhost${path}`, postInit(body, init)));
  return { handler, sessions, get, post, run: (path, body, init) => post(path, message(body), init) };
}

export const session = { appName: 'demo', userId: 'ann', sessionId: 's' };
export const sessionPath = '/apps/demo/users/ann/sessions/s';

/** Returns the body of a run in ann's session. */
export function message(body: object = {}): object {
  return { ...session, newMessage: { role: 'user', parts: [{ text: 'Hello' }] }, ...body };
}

export function postInit(body: unknown, init: RequestInit = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  };
}

/** Returns a model answer that never arrives. `called` resolves with the signal of the model call. */
export function neverAnswers(called: { resolve(signal: AbortSignal): void }): ScriptedAnswer {
  return (_, { signal }) => {
    called.resolve(signal);
    return new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
}
