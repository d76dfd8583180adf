import process from 'node:process';

/**
 * Stops Node from printing that SQLite is experimental. Node 22 and the first versions of Node 24 print it in the middle of a
 * chat. All other warnings are printed.
 */
export function hideSqliteWarning(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return;
    for (const print of printers) print.call(process, warning);
  });
}
