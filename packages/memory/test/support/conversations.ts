import { textOf } from '@thole/core';
import type { Event, JsonObject, LlmResponse, MemoryEntry, MemoryService, Session, UserRef } from '@thole/core';
import { says } from '@thole/testing';

export const ann = { appName: 'hotel', userId: 'ann' };
export const bob = { appName: 'hotel', userId: 'bob' };
/** A time before the start of the fixed clock, in seconds. */
export const start = 1_699_000_000;

/** Returns a model's answer with operations. Missing members are empty, as the schema requires. */
export function operations(...all: JsonObject[]): LlmResponse {
  const empty = { fact: '', text: '', evidence: [], since: '', duplicateOf: '' };
  return says(JSON.stringify({ operations: all.map((operation) => ({ ...empty, ...operation })) }));
}

/** Returns an operation that adds a fact. */
export const add = (text: string, ...evidence: string[]): JsonObject => ({ op: 'add', text, evidence });

/** Returns an event with a text. */
export function textEvent(author: string, id: string, text: string, timestamp: number = start): Event {
  return {
    id,
    invocationId: `run-of-${id}`,
    author,
    timestamp,
    content: { role: author === 'user' ? 'user' : 'model', parts: [{ text }] },
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
  };
}

/** Returns a session of Ann with one event per line, `author: text`, one minute apart. */
export function conversation(id: string, lines: readonly string[], more: Partial<Session> = {}): Session {
  const events = lines.map((line, i) => {
    const [author = '', text = ''] = line.split(/: (.*)/s);
    return textEvent(author, `e${i + 1}`, text, start + i * 60);
  });
  const lastUpdateTime = events.at(-1)?.timestamp ?? start;
  const rest = { state: {}, lastUpdateTime, lastSeq: events.length, incarnation: `incarnation of ${id}` };
  return { ...ann, id, events, ...rest, ...more };
}

/** Returns all facts of a user, including past ones. */
export async function facts(memory: MemoryService, user: UserRef = ann): Promise<MemoryEntry[]> {
  return (await memory.listMemories!({ ...user, limit: 1000, filter: { kinds: ['fact'] } })).memories;
}

/** Returns the texts of a user's notes and current facts. */
export async function current(memory: MemoryService, user: UserRef = ann): Promise<string[]> {
  return texts((await memory.listMemories!({ ...user, limit: 1000 })).memories);
}

/** Returns the texts of entries. */
export function texts(entries: readonly MemoryEntry[]): string[] {
  return entries.map(({ content }) => textOf(content));
}
