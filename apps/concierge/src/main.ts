import { runChat } from './terminal/run-chat.ts';

process.exitCode = await runChat({
  argv: process.argv.slice(2),
  env: process.env,
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  },
});
