import type { SqlValue } from '../client/sql-database.ts';
import type { MarkValue } from './session-marks.ts';
import type { StateWrite } from './state-writes.ts';

/** An append in the form of the database: names converted to parameters, texts encoded, state as patches. */
export interface AppendRecord {
  /** App, user and session. */
  readonly key: readonly [SqlValue, SqlValue, SqlValue];
  /** The only incarnation of the session that may store the event. Default: any. */
  readonly incarnation: string | undefined;
  readonly eventKey: string;
  readonly time: number;
  readonly text: string;
  /** Patch of the session's state. Undefined if it does not change. */
  readonly session: string | undefined;
  /** Number of keys in `session`. */
  readonly sessionKeys: number;
  readonly app: readonly StateWrite[] | undefined;
  readonly user: readonly StateWrite[] | undefined;
  readonly lease: LeaseCondition | undefined;
  readonly marks: readonly MarkValue[];
  /** Time of the database. */
  readonly now: number;
  /** Expiry time of the session if no event follows and it has no marks. Null if it does not expire. */
  readonly expiresAt: number | null;
}

/** A condition on the session's lease, whose row has the alias `l`. */
export interface LeaseCondition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Outcome of an append if the condition is not met. */
  readonly refusal: 'lease-lost' | 'not-running';
}

/**
 * Outcome of an append. `missing`: there is no session of this incarnation. `retry`: another connection changed the session
 * at the same time.
 */
export type AppendOutcome =
  | { readonly kind: 'stored'; readonly seq: number }
  | { readonly kind: 'duplicate'; readonly seq: number; readonly text: string; readonly v: number }
  | { readonly kind: 'missing' | 'lease-lost' | 'not-running' | 'retry' };

/** Caches the SQL text of appends. Appends with the same optional parts share a text, which databases can prepare once. */
export class SqlTextCache {
  readonly #texts = new Map<string, string>();
  readonly #write: (record: AppendRecord) => string;

  constructor(write: (record: AppendRecord) => string) {
    this.#write = write;
  }

  get(record: AppendRecord): string {
    const { session, app, user, lease, incarnation, marks } = record;
    let parts = lease === undefined ? '' : lease.refusal;
    for (const part of [session, app, user, incarnation]) parts += part === undefined ? '0' : '1';
    for (const { column } of marks) parts += column;
    let text = this.#texts.get(parts);
    if (text === undefined) this.#texts.set(parts, (text = this.#write(record)));
    return text;
  }
}
