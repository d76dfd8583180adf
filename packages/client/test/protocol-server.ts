// Frames of a run as the server writes them, and a server that sends them.
import { createEvent, createEventActions } from '@thole/core';
import type { Event, EventInit } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import type { Answering, ServerAnswer } from '@thole/testing/http';
import { onTestFinished } from 'vitest';
import { createClient } from '../src/index.ts';
import type { Client, ClientOptions, ClientRun } from '../src/index.ts';

export const ref = { appName: 'hotel', userId: 'ada', sessionId: 'lobby' };
export const hello: typeof ref & { newMessage: string } = { ...ref, newMessage: 'hello' };
export const done = ': done\n\n';

const runtime = new FixedRuntime();

/** Returns an event of invocation `i-1`: stored with a `seq`, partial without one. */
export function event(text: string, seq?: number, more: Partial<EventInit> = {}): Event {
  const content = { role: 'model' as const, parts: [{ text }] };
  const ids = seq === undefined ? { partial: true, id: 'e-open' } : { seq, id: `e-${seq}` };
  return createEvent({ author: 'porter', invocationId: 'i-1', content, ...ids, ...more }, runtime);
}

/** Returns the frame of an event. */
export function frame(each: Event): string {
  const data = `data: ${JSON.stringify(each)}\n\n`;
  return each.seq === undefined ? data : `id: ${each.seq}\n${data}`;
}

/** Returns the two frames of an event with text and an artifact. */
export function twoFrames(text: string, seq: number): [string, string] {
  const complete = event(text, seq, { actions: createEventActions({ artifactDelta: { 'menu.txt': 3 } }) });
  const { content: _, ...rest } = complete;
  return [`data: ${JSON.stringify(event(text, seq))}\n\n`, frame(rest)];
}

/** Returns the response to a run. The default of `ending` is a complete response. */
export function stream(body: ServerAnswer['body'], ending: ServerAnswer['ending'] = 'end'): ServerAnswer {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-thole-invocation-id': 'i-1' };
  return { headers, body, ending };
}

/** Starts a server that sends these answers one after the other, and a client that reconnects after 1 ms. */
export async function serverOf(
  answers: readonly (ServerAnswer | Answering)[],
  options: Partial<ClientOptions> = {},
): Promise<{ server: ProtocolServer; client: Client }> {
  const remaining = [...answers];
  const server = await ProtocolServer.start((request) => {
    const next = remaining.shift() ?? { status: 500, body: '{"detail": "The test gave no more answers."}' };
    return typeof next === 'function' ? next(request) : next;
  });
  onTestFinished(() => server.close());
  return { server, client: createClient({ baseUrl: server.url, reconnect: { delayMs: 1 }, ...options }) };
}

/** Returns the texts of a run. A partial text is followed by `…`. */
export async function textsOf(run: ClientRun): Promise<string[]> {
  const texts: string[] = [];
  for await (const { content, partial } of run) texts.push(`${content?.parts?.[0]?.text}${partial ? '…' : ''}`);
  return texts;
}
