#!/usr/bin/env node
import process from 'node:process';
import { explainNodeVersion } from './explain-node-version.ts';
import { hideSqliteWarning } from './hide-sqlite-warning.ts';

hideSqliteWarning();

process.stderr.on('error', () => {});
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A program such as `head` may close the pipe before the output ends. That is not a failure.
  if (code === 'EPIPE' || process.exitCode === 1) return;
  console.error(`error: The output cannot be written: ${message}.`);
  process.exitCode = 1;
});

const error = explainNodeVersion(process.versions.node) ?? explainMissingFolder();
if (error !== undefined) {
  console.error(`error: ${error}`);
  process.exitCode = 1;
} else {
  // Imported here, because an old version of Node may not be able to load them.
  const [{ systemRuntime }, { main }] = await Promise.all([import('@thole/core'), import('./program.ts')]);
  const exitCode = await main();
  process.exitCode ||= exitCode;
  // Ends the process even if an agent has open handles. The timer itself does not keep the process running.
  systemRuntime().timer(1_000, () => process.exit());
}

/** Returns a sentence if the working directory was deleted. */
function explainMissingFolder(): string | undefined {
  try {
    process.cwd();
    return undefined;
  } catch {
    return 'The working directory does not exist. Change to another folder.';
  }
}
