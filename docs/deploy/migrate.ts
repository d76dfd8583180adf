import { DatabaseSessionService } from '@thole/sql-services';

const { DATABASE_URL } = process.env;
if (!DATABASE_URL) throw new Error('Set DATABASE_URL to a user who may create tables.');

const owner = new DatabaseSessionService(DATABASE_URL);
await owner.migrate();
await owner.close();
console.log('The tables are up to date.');
