// Keeps the write lock of a SQLite file for some milliseconds. Prints `held` when it has the lock.
import { DatabaseSync } from 'node:sqlite';

const [path = '', ms = '0'] = process.argv.slice(2);
const database = new DatabaseSync(path, { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
setTimeout(() => {
  database.exec('COMMIT');
  database.close();
}, Number(ms));
