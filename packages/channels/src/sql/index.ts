export { SqlDeliveryStore } from './sql-delivery-store.ts';
export { SqlIdentityStore } from './sql-identity-store.ts';
export { sqliteDatabase } from './sqlite-database.ts';
export type { SqlDatabase, SqlDialect, SqlParameter, SqlResult, SqlStoreOptions } from './sql-database.ts';
