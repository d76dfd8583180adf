// What the tests of runs share: a run's frames as the server writes them, and a server that says them.
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

/** An event of invocation `i-1`: committed with a `seq`, partial without one. */
export function event(text: string, seq?: number, more: Partial<EventInit> = {}): Event {
  const content = { role: 'model' as const, parts: [{ text }] };
  const where = seq === undefined ? { partial: true, id: 'e-open' } : { seq, id: `e-${seq}` };
  return createEvent({ author: 'porter', invocationId: 'i-1', content, ...where, ...more }, runtime);
}

/** An event as its frame. */
export function frame(each: Event): string {
  const data = `data: ${JSON.stringify(each)}\n\n`;
  return each.seq === undefined ? data : `id: ${each.seq}\n${data}`;
}

/** An event with text and an artifact, as its two frames. */
export function twoFrames(text: string, seq: number): [string, string] {
  const whole = event(text, seq, { actions: createEventActions({ artifactDelta: { 'menu.txt': 3 } }) });
  const { content: _, ...rest } = whole;
  return [`data: ${JSON.stringify(event(text, seq))}\n\n`, frame(rest)];
}

/** The answer to a run, whole unless it says otherwise. */
export function stream(body: ServerAnswer['body'], ending: ServerAnswer['ending'] = 'end'): ServerAnswer {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-thole-invocation-id': 'i-1' };
  return { headers, body, ending };
}

/** A server that gives these answers in turn, and a client of it that wastes no time. */
export async function serverOf(
  answers: readonly (ServerAnswer | Answering)[],
  options: Partial<ClientOptions> = {},
): Promise<{ server: ProtocolServer; client: Client }> {
  const left = [...answers];
  const server = await ProtocolServer.start((request) => {
    const next = left.shift() ?? { status: 500, body: '{"detail": "The test gave no more answers."}' };
    return typeof next === 'function' ? next(request) : next;
  });
  onTestFinished(() => server.close());
  return { server, client: createClient({ baseUrl: server.url, reconnect: { delayMs: 1 }, ...options }) };
}

/** The texts of a run; a partial's with `…` behind it. */
export async function textsOf(run: ClientRun): Promise<string[]> {
  const texts: string[] = [];
  for await (const { content, partial } of run) texts.push(`${content?.parts?.[0]?.text}${partial ? '…' : ''}`);
  return texts;
}
