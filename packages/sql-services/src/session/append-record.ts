import type { Fence } from '@thole/core';
import type { SqlValue } from '../client/sql-database.ts';
import type { StateWrite } from './state-writes.ts';

/** An append as the database gets it: names bound, texts encoded, state as patches. */
export interface AppendRecord {
  /** App, user and session. */
  readonly key: readonly [SqlValue, SqlValue, SqlValue];
  /** The only incarnation of the session that may take the event. Default: any. */
  readonly incarnation: string | undefined;
  readonly eventKey: string;
  readonly time: number;
  readonly text: string;
  /** A patch to the session's state; undefined where nothing changes. */
  readonly session: string | undefined;
  readonly app: readonly StateWrite[] | undefined;
  readonly user: readonly StateWrite[] | undefined;
  readonly fence: Fence | undefined;
  /** The database's time. */
  readonly now: number;
  /** When the session ends unless it is appended to again. */
  readonly expiresAt: number | null;
}

/** How an append ended. `unsettled`: somebody was faster; look again. */
export type AppendOutcome =
  | { readonly kind: 'stored'; readonly seq: number }
  | { readonly kind: 'duplicate'; readonly seq: number; readonly text: string; readonly v: number }
  | { readonly kind: 'missing' | 'lost' | 'unsettled' };
