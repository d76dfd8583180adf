import { TholeError } from '@thole/core';
import { runCompanion } from './run-companion.ts';

// A program such as `head` may close the pipe before the output ends.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const { promise: ended, resolve: end } = Promise.withResolvers<void>();
for (const signal of signals) process.once(signal, end);
// Without channels and without the page, nothing else keeps the process alive until a signal.
const keepAlive = setInterval(() => {}, 60_000);

try {
  await runCompanion({
    argv: process.argv.slice(2),
    env: process.env,
    input: process.stdin,
    output: process.stdout,
    ended,
    onEnding: () => signals.forEach((signal) => process.removeListener(signal, end)),
  });
} catch (error) {
  const text = TholeError.is(error, 'INVALID_INPUT') ? error.message : await lineOf(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
} finally {
  clearInterval(keepAlive);
}

// Imported only for an error: the package loads the server.
async function lineOf(error: unknown): Promise<string> {
  return (await import('@thole/cli/terminal')).codedLine(error);
}
