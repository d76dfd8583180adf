import type { WaitingKind } from '@thole/core';
import type { ColumnTypes } from '../dialects/dialect.ts';

/** A table as data. `create-table.ts` turns it into the SQL of a database. */
export interface Table {
  readonly name: string;
  readonly columns: { readonly [name: string]: ColumnKind };
  /** Absent if a column of the type `rowId` is the primary key. */
  readonly primaryKey?: readonly string[] | undefined;
  readonly unique?: { readonly [name: string]: readonly string[] } | undefined;
  readonly indexes?: { readonly [name: string]: readonly string[] } | undefined;
}

/** An index that contains only some rows, in databases with partial indexes. Its name contains the name of the table. */
export interface PartialIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** Condition of its rows in SQL. */
  readonly where: string;
  /** Columns of the index in databases without partial indexes. The condition is a range of one of them. */
  readonly allRowsColumns: readonly string[];
}

/** A column type. A question mark allows NULL. */
export type ColumnKind = keyof ColumnTypes | 'name?' | 'integer?' | 'time?' | 'shortName?' | 'text?';

const appColumns = { app_name: 'name' } as const;
const userColumns = { ...appColumns, user_id: 'name' } as const;
const sessionColumns = { ...userColumns, session_id: 'name' } as const;
/** Columns of one key of a state. The value of a deleted key is NULL. The row with an empty hash counts the writes. */
const stateColumns = { key_hash: 'shortName', state_key: 'text', value: 'text?', version: 'integer' } as const;
const artifactColumns = { ...sessionColumns, filename: 'name' } as const;

/** Contains the version of the other tables. */
export const metaTable: Table = {
  name: 'meta',
  columns: { item: 'shortName', content: 'text' },
  primaryKey: ['item'],
};

/** Tables of version 1: sessions and artifacts. */
export const tablesOfVersion1: readonly Table[] = [
  {
    name: 'sessions',
    columns: {
      row_id: 'rowId',
      ...sessionColumns,
      incarnation: 'text',
      initial_state: 'document',
      state: 'document',
      create_time: 'time',
      last_update_time: 'time',
      last_seq: 'integer',
      expires_at: 'time?',
      v: 'integer',
    },
    unique: { sessions_triple: Object.keys(sessionColumns) },
    indexes: {
      sessions_of_user: ['app_name', 'user_id', 'last_update_time'],
      sessions_of_app: ['app_name', 'last_update_time'],
      sessions_expiry: ['expires_at'],
    },
  },
  {
    name: 'events',
    columns: {
      session_row: 'integer',
      seq: 'integer',
      event_key: 'shortName',
      event_time: 'time',
      event: 'text',
      v: 'integer',
    },
    primaryKey: ['session_row', 'seq'],
    unique: { events_ids: ['session_row', 'event_key'] },
  },
  {
    name: 'app_states',
    columns: { ...appColumns, ...stateColumns },
    primaryKey: [...Object.keys(appColumns), 'key_hash'],
  },
  {
    name: 'user_states',
    columns: { ...userColumns, ...stateColumns },
    primaryKey: [...Object.keys(userColumns), 'key_hash'],
  },
  {
    name: 'leases',
    columns: {
      ...sessionColumns,
      fence: 'shortName',
      invocation_id: 'text',
      holder: 'text',
      expires_at: 'time',
      latest_end: 'time?',
      stop_code: 'shortName?',
      stopped_by: 'text?',
    },
    primaryKey: Object.keys(sessionColumns),
    unique: { leases_fence: ['fence'] },
  },
  {
    name: 'artifact_names',
    columns: { ...artifactColumns, next_version: 'integer' },
    primaryKey: Object.keys(artifactColumns),
  },
  {
    name: 'artifacts',
    columns: { ...artifactColumns, version: 'integer', meta: 'text', content: 'bytes', v: 'integer' },
    primaryKey: [...Object.keys(artifactColumns), 'version'],
  },
];

/** Tables that version 2 adds: memory. */
export const tablesOfVersion2: readonly Table[] = [
  {
    name: 'memory_scopes',
    columns: {
      row_id: 'rowId',
      ...userColumns,
      last_seq: 'integer',
      removals: 'integer',
      forgotten_until: 'time?',
      v: 'integer',
    },
    unique: { memory_scopes_user: Object.keys(userColumns) },
  },
  {
    name: 'memory_entries',
    columns: {
      scope_row: 'integer',
      seq: 'integer',
      id_key: 'shortName',
      entry_id: 'text',
      // The following four columns are NULL in a tombstone.
      kind: 'shortName?',
      session_key: 'shortName?',
      entry_time: 'time?',
      entry: 'text?',
      v: 'integer',
    },
    primaryKey: ['scope_row', 'seq'],
    unique: { memory_entries_ids: ['scope_row', 'id_key'] },
    indexes: {
      memory_entries_kind: ['scope_row', 'kind', 'seq'],
      memory_entries_session: ['scope_row', 'session_key', 'seq'],
      memory_entries_time: ['scope_row', 'entry_time'],
    },
  },
  {
    name: 'memory_segments',
    columns: {
      scope_row: 'integer',
      analyzer_key: 'shortName',
      up_to: 'integer',
      part: 'integer',
      analyzer: 'text',
      content: 'bytes',
      v: 'integer',
    },
    primaryKey: ['scope_row', 'analyzer_key', 'up_to', 'part'],
  },
];

/** Columns that version 3 adds to `sessions`: the marks. NULL in `open_interrupts` means 0. */
export const markColumns: Table['columns'] = { unfinished: 'name?', wake_at: 'time?', open_interrupts: 'integer?' };

/** Column that version 4 adds to `sessions`: the origin of a copy, as JSON. */
export const forkColumn: Table['columns'] = { forked_from: 'text?' };

/**
 * Indexes that version 4 adds to `sessions`: the sessions that wait, by kind. An event changes an index only if it changes a
 * mark. Therefore two indexes do not contain the time by which sessions are listed: queries sort the few sessions that wait.
 */
export const waitingIndexes: { readonly [kind in WaitingKind]: PartialIndex } = {
  unfinished: {
    name: 'sessions_unfinished',
    columns: ['app_name', 'user_id'],
    where: 'unfinished IS NOT NULL',
    allRowsColumns: ['app_name', 'unfinished'],
  },
  due: {
    name: 'sessions_due',
    columns: ['app_name', 'wake_at'],
    where: 'wake_at IS NOT NULL',
    allRowsColumns: ['app_name', 'wake_at'],
  },
  interrupts: {
    name: 'sessions_interrupts',
    columns: ['app_name', 'user_id'],
    where: 'open_interrupts > 0',
    allRowsColumns: ['app_name', 'open_interrupts'],
  },
};

/**
 * The runs that wait for a session, in the order of their tickets. Version 3 replaces the table of earlier versions, which
 * has no fences. Its rows are valid for seconds only.
 */
export const leaseWaitersTable: Table = {
  name: 'lease_waiters',
  columns: { ticket: 'rowId', ...sessionColumns, fence: 'shortName', place: 'integer', expires_at: 'time' },
  indexes: { lease_waiters_of: Object.keys(sessionColumns) },
};

/** Column that version 5 adds to `memory_entries`: a random id of the write. NULL in rows of earlier versions. */
export const writeIdColumn: Table['columns'] = { write_id: 'shortName?' };

/** Credentials of users and sign-ins that have begun, encrypted. Version 4 adds the table. */
export const credentialsTable: Table = {
  name: 'credentials',
  columns: {
    ...userColumns,
    kind: 'shortName',
    record_name: 'name',
    content: 'text',
    expires_at: 'time?',
    v: 'integer',
  },
  primaryKey: [...Object.keys(userColumns), 'kind', 'record_name'],
};
