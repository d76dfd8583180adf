import type { SqlValue } from '../database/sql-database.ts';
import type { StateOwner } from './state-writes.ts';

/** The app of a key that begins with it. */
export function appOf(key: readonly SqlValue[]): StateOwner {
  return { columns: ['app_name'], names: key.slice(0, 1) };
}

/** The user of a key that begins with app and user. */
export function userOf(key: readonly SqlValue[]): StateOwner {
  return { columns: ['app_name', 'user_id'], names: key.slice(0, 2) };
}
