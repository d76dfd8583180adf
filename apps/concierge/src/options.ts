import { parseArgs } from 'node:util';

export interface ChatOptions {
  guest: string;
  memory: boolean;
  streaming: boolean;
  help: boolean;
}

export const USAGE = `Usage: npm run chat -- [options]

  --guest <name>   who is talking (alice)
  --no-memory      remember nothing across conversations
  --no-stream      show whole answers instead of words as they come
  --help           show this

THOLE_MODEL=gemini/<name> or openai/<name> in the environment chooses the model; without it a key does.
Conversations are kept in .thole/concierge.db: THOLE_DATA names another folder, THOLE_SESSION_URL another database.`;

/** What the command line asks for; throws node's own error for what it does not know. */
export function readOptions(argv: readonly string[]): ChatOptions {
  const { values } = parseArgs({
    // Some package managers hand the separator on.
    args: argv[0] === '--' ? argv.slice(1) : [...argv],
    options: {
      guest: { type: 'string', default: 'alice' },
      'no-memory': { type: 'boolean', default: false },
      'no-stream': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { guest: values.guest, memory: !values['no-memory'], streaming: !values['no-stream'], help: values.help };
}
