import { textOf } from '@thole/core';
import type { Event, JsonObject, LlmResponse, MemoryEntry, MemoryService, Session, UserRef } from '@thole/core';
import { says } from '@thole/testing';

export const ann = { appName: 'hotel', userId: 'ann' };
export const bob = { appName: 'hotel', userId: 'bob' };
/** Before the fixed clock's beginning. */
export const start = 1_699_000_000;

/** What a model answers that finds facts: members that are left out are empty, as the schema wants them. */
export function operations(...all: JsonObject[]): LlmResponse {
  const empty = { fact: '', text: '', evidence: [], since: '', duplicateOf: '' };
  return says(JSON.stringify({ operations: all.map((one) => ({ ...empty, ...one })) }));
}

export const add = (text: string, ...evidence: string[]): JsonObject => ({ op: 'add', text, evidence });

export function said(author: string, id: string, text: string, timestamp: number = start): Event {
  return {
    id,
    invocationId: `run-of-${id}`,
    author,
    timestamp,
    content: { role: author === 'user' ? 'user' : 'model', parts: [{ text }] },
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
  };
}

/** A talk of Ann's, a minute between its lines; each line is `who: what`. */
export function talk(id: string, lines: readonly string[], more: Partial<Session> = {}): Session {
  const events = lines.map((line, i) => {
    const [author = '', text = ''] = line.split(/: (.*)/s);
    return said(author, `e${i + 1}`, text, start + i * 60);
  });
  const lastUpdateTime = events.at(-1)?.timestamp ?? start;
  const rest = { state: {}, lastUpdateTime, lastSeq: events.length, incarnation: `incarnation of ${id}` };
  return { ...ann, id, events, ...rest, ...more };
}

export async function facts(memory: MemoryService, user: UserRef = ann): Promise<MemoryEntry[]> {
  return (await memory.listMemories!({ ...user, limit: 1000, filter: { kinds: ['fact'] } })).memories;
}

export async function current(memory: MemoryService, user: UserRef = ann): Promise<string[]> {
  return texts((await memory.listMemories!({ ...user, limit: 1000 })).memories);
}

export function texts(entries: readonly MemoryEntry[]): string[] {
  return entries.map(({ content }) => textOf(content));
}
