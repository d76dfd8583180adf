import type { CallOptions } from '@thole/core';

/** A remembered turn as an extractor sees it. */
export interface FactTurn {
  /** The entry's. */
  id: string;
  /** `user`, or the agent that spoke. */
  author: string;
  text: string;
  /** Seconds since the epoch. */
  timestamp?: number | undefined;
}

/** A fact or note that is known already and still true. */
export interface KnownFact {
  id: string;
  kind: 'fact' | 'note';
  text: string;
  /** Seconds; from when it holds. */
  validFrom?: number | undefined;
}

/** What an extractor is given: what is new, what was said right before it, and what is known that is like it. */
export interface FactRequest {
  /** In order, both speakers'. */
  turns: readonly FactTurn[];
  /** The turns before, as context: digested already. */
  before: readonly FactTurn[];
  known: readonly KnownFact[];
  /** Seconds since the epoch. */
  now: number;
  /** The user's, by its IANA name: on whose clocks “yesterday” is meant. UTC where it is not known. */
  timeZone?: string | undefined;
}

/** What is to be done with facts. Ids are those of the request; whatever names others is refused, singly. */
export type FactOperation =
  | {
      op: 'add';
      text: string;
      /** Ids of turns. */
      evidence: readonly string[];
      /** Seconds; from when it holds, if that was said. */
      since?: number | undefined;
    }
  | {
      op: 'supersede';
      /** The known one that is not true any more. */
      fact: string;
      text: string;
      evidence: readonly string[];
      since?: number | undefined;
    }
  | {
      op: 'drop';
      /** The known fact that says the same as another. */
      fact: string;
      duplicateOf: string;
    };

/**
 * Finds facts in turns. Strangers implement this; it is only ever extended. What it answers is checked before anything is
 * done, so it need not be careful; what it throws leaves the turns undigested, for the next time.
 */
export interface FactExtractor {
  readonly specVersion: 1;
  /** Operations (`FactOperation`), in the order in which they are to be done. */
  extract(request: FactRequest, call: CallOptions): Promise<readonly unknown[]>;
}
