import type { Event, EventLog, InterruptKind, LogFields } from '@thole/core';

/** The agent that receives the contents, and its settings. */
export interface ContentsRequest {
  readonly agentName: string;
  /** The agent's branch. An agent without a branch sees every branch. */
  readonly branch?: string | undefined;
  /** `none`: only the current turn. */
  readonly includeContents: 'default' | 'none';
  /** The current invocation. Unanswered calls of another invocation will stay unanswered. */
  readonly invocationId: string;
  /** Kinds of the open interrupts by id of the call that waits. Undefined: none. */
  readonly waiting?: WaitingCalls | undefined;
  readonly selectHistory?: SelectHistory | undefined;
  /** Logs the parts that were removed from an invalid history: ids, names and counts. */
  readonly log?: ((message: string, fields: LogFields) => void) | undefined;
}

/** Selects the events for the contents. Undefined: all. Compaction records always stay. */
export type SelectHistory = (events: EventLog) => readonly Event[] | { readonly fromSeq: number } | undefined;

/** Calls that wait for an answer from outside: the kind of the interrupt by call id. */
export type WaitingCalls = ReadonlyMap<string, InterruptKind>;
