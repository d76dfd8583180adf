import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject, memoryKeyOf, turnId } from '@thole/core/kit';
import type { AddMemoryRequest, MemoryEntry, MemoryRef, MemoryScope, NewMemory, Runtime } from '@thole/core';
import { assertText, copyEntry } from './assert-memory.ts';

/** New entries of one scope. */
export interface NewEntries {
  readonly scope: MemoryScope;
  /** Entries with different ids. */
  readonly entries: readonly MemoryEntry[];
  /** The entries whose ids may exist already: turns, and entries with an id from the caller. */
  readonly mayExist: readonly MemoryEntry[];
}

/** Returns the entries of a request by scope, with ids and times. If an id is repeated, the last entry counts. Throws `INVALID_INPUT`. */
export function newEntriesOf(p: AddMemoryRequest, runtime: Runtime): NewEntries[] {
  memoryKeyOf(p, p.scope);
  const memories = memoriesOf(p);
  const all = memories.map((memory, i) => copyEntry(withDefaults(memory, p, runtime), `memories[${i}]`));
  const callerIds = new Set(memories.map((memory) => memory.id));
  const byScope = new Map<string, { scope: MemoryScope; entries: Map<string, MemoryEntry> }>();
  for (const entry of all) {
    const scope = memoryKeyOf(p, entry.scope);
    const group = byScope.get(scope.userId) ?? { scope, entries: new Map<string, MemoryEntry>() };
    byScope.set(scope.userId, group);
    // An entry with a repeated id moves to the end, as if each entry were added separately.
    group.entries.delete(entry.id);
    group.entries.set(entry.id, entry);
  }
  return [...byScope.values()].map((group) => {
    const entries = [...group.entries.values()];
    const mayExist = entries.filter(({ id, kind }) => kind === 'turn' || callerIds.has(id));
    return { scope: group.scope, entries, mayExist };
  });
}

/** Returns the entries of a request, or the note in `memory`. */
function memoriesOf({ memory, memories }: AddMemoryRequest): readonly NewMemory[] {
  if (memory === undefined) {
    if (!Array.isArray(memories)) throw invalidInput('memories', 'an array of entries', memories);
    return memories as readonly NewMemory[];
  }
  if (memories !== undefined)
    throw new TholeError('INVALID_INPUT', 'addMemory needs either memory or memories, but not both.');
  assertText('memory', memory);
  return [{ kind: 'note', content: { parts: [{ text: memory }] } }];
}

function withDefaults(memory: NewMemory, { scope: defaultScope }: MemoryRef, runtime: Runtime): unknown {
  if (!isPlainObject(memory)) return memory;
  const { kind, sessionId, eventId, scope = defaultScope } = memory;
  const isTurn = kind === 'turn' && typeof sessionId === 'string' && typeof eventId === 'string';
  const id = memory.id ?? (isTurn ? turnId(sessionId, eventId) : runtime.newId('memory'));
  return { ...memory, id, scope, timestamp: memory.timestamp ?? runtime.now() };
}
