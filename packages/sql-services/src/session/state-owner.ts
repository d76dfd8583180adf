import type { SqlValue } from '../client/sql-database.ts';
import type { StateOwner } from './state-writes.ts';

/** Returns the app of a session's or user's key. */
export function appOwner(key: readonly SqlValue[]): StateOwner {
  return { columns: ['app_name'], names: key.slice(0, 1) };
}

/** Returns the user of a session's or user's key. */
export function userOwner(key: readonly SqlValue[]): StateOwner {
  return { columns: ['app_name', 'user_id'], names: key.slice(0, 2) };
}
