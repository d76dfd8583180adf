import type { Json } from '@thole/core';

/** The origin of a part of a request. */
export type Origin = 'instruction' | 'memory' | 'history' | 'tool' | 'message' | 'settings';

/** One part of a request to a model. */
export interface RequestPart {
  /** The same id in the next request for the same thing: 'instruction', 'tool:name', 'settings', 'content:3'. */
  id: string;
  origin: Origin;
  /** A short title: 'System instruction', 'Tool book_room', 'user'. */
  title: string;
  /** More about its origin, if there is more. */
  note?: string | undefined;
  /** The displayed text. */
  text: string;
  /** Approximate number of tokens. Undefined if letters do not show it, as for an image. */
  tokens: number | undefined;
  /** The event with the same content, if one was found. */
  eventId?: string | undefined;
  value: Json;
}
