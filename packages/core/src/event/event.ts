import type { Json } from '../json/json.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { EventActions } from './event-actions.ts';

/** One event of a session: plain JSON, deeply frozen after it is stored. */
export interface Event extends LlmResponse {
  /** Shared by all partial events of one response and its final event. */
  id: string;
  invocationId: string;
  /** `user`, an agent's name, or another writer such as `system`. */
  author: string;
  /** Seconds since the epoch. */
  timestamp: number;
  actions: EventActions;
  /** Dotted path of a parallel branch. Branches do not see each other. */
  branch?: string | undefined;
  /** Ids of calls in this event that are answered later. */
  longRunningToolIds?: string[] | undefined;
  /**
   * Place of the agent that made the event. `path` names all agents from the agent that began the invocation, and how often
   * the parent has called each agent: `plan/loop/writer#2`. Events of the agent that began have no path.
   */
  nodeInfo?: { path?: string | undefined; [name: string]: Json | undefined } | undefined;
  /** 1, 2, 3 … in each session, assigned by the store. Events are ordered by it, never by time. */
  seq?: number | undefined;
}
