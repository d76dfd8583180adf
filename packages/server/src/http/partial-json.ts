import type { Event } from '@thole/core';
import { wireJson } from './wire-event.ts';

/** The JSON of partial events on the wire. Those of one answer differ in content and time alone: what they share is made once. */
export class PartialJson {
  #like: Event | undefined;
  /** All but content and time, without the brace that begins it. */
  #shared: string = '';

  /** What `wireJson` gives, with its members in another order. */
  of(event: Event): string {
    const content = JSON.stringify(event.content);
    if (content === undefined || content.includes(':null') || !Number.isFinite(event.timestamp)) return wireJson(event);
    if (!this.#like || !isAlike(event, this.#like)) {
      const { content: _, timestamp: __, ...shared } = event;
      this.#shared = wireJson(shared as Event).slice(1);
      this.#like = event;
    }
    return `{"content":${content},"timestamp":${event.timestamp},${this.#shared}`;
  }
}

function isAlike(event: Event, other: Event): boolean {
  let members = 0;
  for (const name in event) {
    members++;
    if (name === 'content' || name === 'timestamp') continue;
    const value: unknown = event[name as keyof Event];
    if (value !== other[name as keyof Event]) return false;
    // The same object may say something else by now.
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) return false;
  }
  for (const _ in other) members--;
  return members === 0;
}
