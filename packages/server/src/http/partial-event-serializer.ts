import type { Event } from '@thole/core';
import { wireEventJson } from './wire-event.ts';

/**
 * Serializes the partial events of a stream. The partial events of one answer differ only in content and time, so the
 * JSON of their other members is created once.
 */
export class PartialEventSerializer {
  #previous: Event | undefined;
  /** JSON of all members except content and time, without the opening brace. */
  #sharedJson: string = '';

  /** Returns the same JSON as `wireEventJson`, with members in another order. */
  serialize(event: Event): string {
    const content = JSON.stringify(event.content);
    if (content === undefined || content.includes(':null') || !Number.isFinite(event.timestamp))
      return wireEventJson(event);
    if (!this.#previous || !hasSameMetadata(event, this.#previous)) {
      const { content: _, timestamp: __, ...shared } = event;
      this.#sharedJson = wireEventJson(shared as Event).slice(1);
      this.#previous = event;
    }
    return `{"content":${content},"timestamp":${event.timestamp},${this.#sharedJson}`;
  }
}

function hasSameMetadata(event: Event, other: Event): boolean {
  let members = 0;
  for (const name in event) {
    members++;
    if (name === 'content' || name === 'timestamp') continue;
    const value: unknown = event[name as keyof Event];
    if (value !== other[name as keyof Event]) return false;
    // An object that is not frozen may have changed in the meantime.
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) return false;
  }
  for (const _ in other) members--;
  return members === 0;
}
