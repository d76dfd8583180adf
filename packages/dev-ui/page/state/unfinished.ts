import type { Event } from '@thole/core';
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { events, openKey } from './session.ts';
import { readStored, writeStored } from './stored.ts';

/**
 * Answers that ended before they were stored, by session. Answers from before a reload are read when their session is
 * opened.
 */
const all: Signal<ReadonlyMap<string, readonly Event[]>> = signal<ReadonlyMap<string, readonly Event[]>>(new Map());

/** The answers of the open session that ended early because of a stop or a failure. The server does not have them. */
export const unfinished: ReadonlySignal<readonly Event[]> = computed(() => {
  const key = openKey.value;
  return key === undefined ? [] : (all.value.get(key) ?? readUnfinished(key));
});

/** Keeps answers that were not stored, in this tab. */
export function keepUnfinished(key: string, streamed: readonly Event[]): void {
  const stored = new Set(events.peek().map((event) => event.id));
  const missing = streamed.filter((event) => !stored.has(event.id));
  if (missing.length === 0) return;
  const next = [...(all.peek().get(key) ?? readUnfinished(key)), ...missing];
  all.value = new Map(all.peek()).set(key, next);
  writeStored(`unfinished:${key}`, JSON.stringify(next), 'tab');
}

/** Removes the answers of a deleted session. */
export function forgetUnfinished(key: string): void {
  all.value = new Map(all.peek()).set(key, []);
  writeStored(`unfinished:${key}`, undefined, 'tab');
}

function readUnfinished(key: string): readonly Event[] {
  try {
    return JSON.parse(readStored(`unfinished:${key}`, 'tab') ?? '[]') as Event[];
  } catch {
    return [];
  }
}
