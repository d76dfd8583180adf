import type { LlmResponse } from '../model/llm-response.ts';
import type { EventActions } from './event-actions.ts';

/** One thing that happened in a session: plain JSON, deeply frozen once it is stored. */
export interface Event extends LlmResponse {
  /** All partials of one response and its final share it. */
  id: string;
  invocationId: string;
  /** `user`, an agent's name, or another writer such as `system`. */
  author: string;
  /** Seconds since the epoch. */
  timestamp: number;
  actions: EventActions;
  /** Dotted path of a parallel branch; branches do not see each other. */
  branch?: string | undefined;
  /** Ids of calls in this event that are answered later. */
  longRunningToolIds?: string[] | undefined;
  /** 1, 2, 3 … in each session; made by the store. Order is this, never time. */
  seq?: number | undefined;
}
