import { parseArgs } from 'node:util';
import { TholeError } from '@thole/core';

const ENVIRONMENT = `THOLE_MODEL=gemini/<name>, openai/<name> or anthropic/<name> chooses the model. Default: the model of the key in the environment.
Conversations and memory are in .thole/concierge.db. THOLE_DATA=<folder> or THOLE_SESSION_URL=<url> changes that.
THOLE_MEMORY_URL=<url> moves memory. THOLE_ARTIFACT_URL=<url> stores files of guests.
THOLE_MEMORY_DAYS=<number> deletes older memories.`;

/** Usage text of `npm start`. */
export const SERVER_USAGE = `Usage: npm start -- [options]

  --port <number>  port on 127.0.0.1 (8000, or a free port if 8000 is taken)
  --no-memory      remember nothing across conversations
  --verbose        print the stack of an error too
  --help           print this text

${ENVIRONMENT}`;

/** Usage text of `npm run chat`. */
export const CHAT_USAGE = `Usage: npm run chat -- [options]

  --guest <name>   name of the guest (user, as on the page)
  --no-memory      remember nothing across conversations
  --no-stream      print whole answers instead of single words
  --verbose        print the stack of an error too
  --help           print this text

${ENVIRONMENT}`;

const COMMON = {
  memory: { type: 'boolean', default: true },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the options of `npm start`. Throws Node's error for unknown options and `INVALID_INPUT` for an invalid port. */
export function readServerOptions(argv: readonly string[]) {
  const { values } = parseArgs({
    args: withoutSeparator(argv),
    allowNegative: true,
    options: { ...COMMON, port: { type: 'string' } },
  });
  if (!/^\d{1,5}$/.test(values.port ?? '0')) throw new TholeError('INVALID_INPUT', '--port must be a number.');
  return { ...values, port: values.port === undefined ? undefined : Number(values.port) };
}

/** Reads the options of `npm run chat`. Throws Node's error for unknown options. */
export function readChatOptions(argv: readonly string[]) {
  const { values } = parseArgs({
    args: withoutSeparator(argv),
    allowNegative: true,
    options: { ...COMMON, guest: { type: 'string', default: 'user' }, stream: { type: 'boolean', default: true } },
  });
  return values;
}

/** Some package managers pass the separator `--` to the program. */
function withoutSeparator(argv: readonly string[]): string[] {
  return argv.slice(argv[0] === '--' ? 1 : 0);
}
