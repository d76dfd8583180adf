import { Worker } from 'node:worker_threads';

/** Result of `rewriteSqliteFile`. */
export interface RewriteResult {
  /** False if another connection reads the file, so that its write-ahead log still contains old pages. */
  readonly isLogCleared: boolean;
}

/** Program of the worker thread. A string, because a bundler may not include a separate file. */
const PROGRAM = `
// The main thread shows the warning of node:sqlite.
process.removeAllListeners('warning');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
try {
  const database = new DatabaseSync(workerData.path, { timeout: workerData.timeoutMs });
  database.exec('VACUUM');
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  database.close();
  parentPort.postMessage({ isLogCleared: Number(busy) === 0 });
} catch ({ code, errcode, message }) {
  parentPort.postMessage({ error: { code, errcode, message } });
}`;

/**
 * Runs `VACUUM` on a SQLite file in a worker thread, so that the event loop continues, and truncates its write-ahead log.
 * Other connections can read meanwhile, their writes wait. Waits at most `timeoutMs` for a lock. Throws the driver's error.
 */
export function rewriteSqliteFile(path: string, timeoutMs: number): Promise<RewriteResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(PROGRAM, { eval: true, workerData: { path, timeoutMs } });
    worker.on('message', (message: RewriteResult | { error: { message: string } }) => {
      if ('error' in message) reject(Object.assign(new Error(message.error.message), message.error));
      else resolve(message);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`The worker thread ended with exit code ${code}.`)));
  });
}
