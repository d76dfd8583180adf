import { silentLogger } from '@thole/core';
import type { Content, LlmRequest, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import OpenAI from 'openai';
import { createHandler } from '../../src/index.ts';
import type { Handler, HandlerOptions } from '../../src/index.ts';

/** A handler with one app, `demo`, and OpenAI's client for it. The client does not retry. */
export interface OpenAiDemo {
  handler: Handler;
  client: OpenAI;
  sessions: SessionService;
  /** Requests of the agent's model. */
  requests: readonly LlmRequest[];
  /** Ids of all sessions of a user. Default: `user`. */
  sessionIds(userId?: string): Promise<string[]>;
}

export function openAiDemo(
  p: Partial<HandlerOptions> & { answers?: readonly ScriptedAnswer[]; rootAgent?: LlmAgent; headers?: object } = {},
): OpenAiDemo {
  const { answers = [], headers = {}, rootAgent, ...options } = p;
  const model = new ScriptedLlm(...answers);
  const sessions = options.sessionService ?? new InMemorySessionService();
  const handler = createHandler({
    apps: [{ name: 'demo', rootAgent: rootAgent ?? new LlmAgent({ name: 'clerk', model }) }],
    sessionService: sessions,
    logger: silentLogger,
    ...options,
  });
  const client = new OpenAI({
    apiKey: 'key',
    baseURL: 'http://localhost/v1',
    maxRetries: 0,
    defaultHeaders: headers as Record<string, string>,
    fetch: (url, init) => handler(new Request(url as string, init as RequestInit)),
  });
  const sessionIds = async (userId = 'user'): Promise<string[]> =>
    (await sessions.listSessions({ appName: 'demo', userId })).sessions.map(({ id }) => id);
  return { handler, client, sessions, requests: model.requests, sessionIds };
}

/** Returns the messages of a model request as `role: text`. */
export function messagesOf({ contents }: LlmRequest): string[] {
  return contents.map(({ role, parts }) => `${role}: ${(parts ?? []).map(({ text }) => text ?? '[file]').join('|')}`);
}

/** Returns the texts of stored events. */
export function textsOf(events: readonly { author: string; content?: Content | undefined }[]): string[] {
  return events.map(({ author, content }) => `${author}: ${(content?.parts ?? []).map(({ text }) => text).join('|')}`);
}
