// hold-write-lock.ts <url> <ms>: holds the write lock of a SQLite file for `ms` milliseconds. Reports when it has the lock, and before it
// releases the lock.
import { DatabaseSync } from 'node:sqlite';
import { Channel } from './channel.ts';

const [url = '', ms = ''] = process.argv.slice(2);
const channel = new Channel<object>();
const database = new DatabaseSync(url.slice('sqlite:///'.length), { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
channel.tell({ held: true });
await new Promise((resolve) => setTimeout(resolve, Number(ms)));
channel.tell({ freed: true });
database.exec('COMMIT');
database.close();
process.exit(0);
