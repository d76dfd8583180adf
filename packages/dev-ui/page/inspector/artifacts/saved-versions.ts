import type { Event } from '@thole/core';

/** Returns how often each file was saved, from the events. */
export function savedVersions(events: readonly Event[]): Map<string, number> {
  const saved = new Map<string, number>();
  for (const { actions } of events)
    for (const filename in actions?.artifactDelta) saved.set(filename, (saved.get(filename) ?? 0) + 1);
  return saved;
}
