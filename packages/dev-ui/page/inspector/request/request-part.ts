import type { Json } from '@thole/core';

/** From where something in a request came. */
export type Origin = 'instruction' | 'memory' | 'history' | 'tool' | 'message' | 'settings';

/** One piece of what a model was told. */
export interface RequestPart {
  /** The same in the next request for what is the same thing: 'instruction', 'tool:name', 'settings', 'content:3'. */
  id: string;
  origin: Origin;
  /** What it is, in few words: 'System instruction', 'Tool book_room', 'user'. */
  title: string;
  /** More on where it came from, where there is more to say. */
  note?: string | undefined;
  /** As it is shown. */
  text: string;
  /** About how many tokens; undefined where letters say nothing of it, such as a picture. */
  tokens: number | undefined;
  /** The event that it tells again, where one was found. */
  eventId?: string | undefined;
  value: Json;
}
