import type { Json } from '@thole/core';

/** The origin of a part of a request. */
export type Origin = 'instruction' | 'memory' | 'history' | 'tool' | 'message' | 'settings';

/** One part of a request to a model. */
export interface RequestPart {
  /** `instruction`, `tool:name`, `settings` or `content:3`. Except for contents, the same in the next request. */
  id: string;
  origin: Origin;
  /** A short title: 'System instruction', 'Tool book_room', 'user'. */
  title: string;
  /** Details of the origin. */
  note?: string | undefined;
  /** The displayed text. */
  text: string;
  /** Approximate number of tokens. Undefined if it cannot be estimated from a text, as for an image. */
  tokens: number | undefined;
  /** The event with the same content, if it was found. */
  eventId?: string | undefined;
  value: Json;
}
