// Holds the write lock of a SQLite file until it is killed. Prints `held` when it has the lock.
import { DatabaseSync } from 'node:sqlite';

const [path = ''] = process.argv.slice(2);
const database = new DatabaseSync(path, { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
// Refers to the database, which garbage collection would close.
setInterval(() => void database.isOpen, 60_000);
