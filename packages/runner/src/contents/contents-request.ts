import type { Event, EventLog, LogFields } from '@thole/core';

/** Whose contents are asked for, and how. */
export interface ContentsRequest {
  readonly agentName: string;
  /** The branch that the agent runs in; without one it sees every branch. */
  readonly branch?: string | undefined;
  /** `none`: the current turn alone. */
  readonly includeContents: 'default' | 'none';
  /** The invocation that is going on: calls of another one that were never answered will not be. */
  readonly invocationId: string;
  readonly selectHistory?: SelectHistory | undefined;
  /** Told what was pruned of an odd history: ids, names and counts. */
  readonly log?: ((message: string, fields: LogFields) => void) | undefined;
}

/** Which of the events that the agent may see the contents are made of; undefined for all. Compaction records stay. */
export type SelectHistory = (events: EventLog) => readonly Event[] | { readonly fromSeq: number } | undefined;
