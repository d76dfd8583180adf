import type { CallOptions } from '@thole/core';

/** A remembered turn, for an extractor. */
export interface FactTurn {
  /** Id of the entry. */
  id: string;
  /** `user`, or the name of an agent. */
  author: string;
  text: string;
  /** Seconds since the epoch. */
  timestamp?: number | undefined;
}

/** A current fact or note. */
export interface KnownFact {
  id: string;
  kind: 'fact' | 'note';
  text: string;
  /** Start of its validity in seconds since the epoch. */
  validFrom?: number | undefined;
}

/** The input of an extractor: new turns, the turns directly before them, and similar known facts. */
export interface FactRequest {
  /** New turns of user and agents, in order. */
  turns: readonly FactTurn[];
  /** The turns directly before the new turns, as context. Their facts have been extracted. */
  before: readonly FactTurn[];
  known: readonly KnownFact[];
  /** Current time in seconds since the epoch. */
  now: number;
  /** IANA name of the user's time zone, for words such as “yesterday”. Undefined means UTC. */
  timeZone?: string | undefined;
}

/** An operation on facts. Its ids must be ids of the request; an operation with other ids is rejected. */
export type FactOperation =
  | {
      op: 'add';
      text: string;
      /** Ids of the turns that support the fact. */
      evidence: readonly string[];
      /** Start of its validity in seconds since the epoch, if a turn mentions it. */
      since?: number | undefined;
    }
  | {
      op: 'supersede';
      /** Id of the known fact that is no longer true. */
      fact: string;
      text: string;
      evidence: readonly string[];
      since?: number | undefined;
    }
  | {
      op: 'drop';
      /** Id of a known fact that says the same as another one. */
      fact: string;
      /** Id of the known fact that stays. */
      duplicateOf: string;
    };

/**
 * Finds facts in turns. Applications may implement this interface; it only ever gains optional members. Its operations are checked
 * before they are applied. If it throws, the next call passes the same turns to it again.
 */
export interface FactExtractor {
  readonly specVersion: 1;
  /** Returns operations (`FactOperation`) in the order in which they are applied. */
  extract(request: FactRequest, call: CallOptions): Promise<readonly unknown[]>;
}
