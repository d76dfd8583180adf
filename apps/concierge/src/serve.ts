import { serveConcierge } from './web/serve-concierge.ts';

const stopRequested = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
});

process.exitCode = await serveConcierge({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
  ended: stopRequested,
});
