import type { SqlValue } from '../client/sql-database.ts';
import type { StateOwner } from './state-writes.ts';

/** The app of a key that begins with it. */
export function appOwner(key: readonly SqlValue[]): StateOwner {
  return { columns: ['app_name'], names: key.slice(0, 1) };
}

/** The user of a key that begins with app and user. */
export function userOwner(key: readonly SqlValue[]): StateOwner {
  return { columns: ['app_name', 'user_id'], names: key.slice(0, 2) };
}
