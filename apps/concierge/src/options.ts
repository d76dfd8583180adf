import { parseArgs } from 'node:util';
import { TholeError } from '@thole/core';

/** What `npm start` and `npm run chat` run: the server with its page, and the chat in the terminal. */
export type Program = 'start' | 'chat';

/** What a command line may ask for; each program knows some of it. */
export interface Options {
  /** Undefined for the usual one, or a free one where that is taken. */
  port: number | undefined;
  guest: string;
  memory: boolean;
  streaming: boolean;
  /** Whether the stack of an error is written too. */
  verbose: boolean;
  help: boolean;
}

/** The guest unless another one is named. The page has the same default, so that both know the same memory. */
export const GUEST = 'user';

const COMMANDS: { readonly [program in Program]: string } = { start: 'npm start', chat: 'npm run chat' };

const options = {
  port: {
    of: ['start'],
    type: 'string',
    usage: '--port <number>',
    help: 'where to listen, on 127.0.0.1 (8000, or a free one where that is taken)',
  },
  guest: { of: ['chat'], type: 'string', usage: '--guest <name>', help: `who is talking (${GUEST})` },
  'no-memory': {
    of: ['start', 'chat'],
    type: 'boolean',
    usage: '--no-memory',
    help: 'remember nothing across conversations',
  },
  'no-stream': {
    of: ['chat'],
    type: 'boolean',
    usage: '--no-stream',
    help: 'show whole answers instead of words as they come',
  },
  verbose: {
    of: ['start', 'chat'],
    type: 'boolean',
    usage: '--verbose',
    help: 'write the stack of an error too',
  },
  help: { of: ['start', 'chat'], type: 'boolean', usage: '--help', help: 'show this' },
} as const satisfies { [name: string]: { of: readonly Program[]; type: string; usage: string; help: string } };

/** How a program is called. */
export function usageOf(program: Program): string {
  const lines = entriesOf(program).map(([, { usage, help }]) => `  ${usage.padEnd(16)} ${help}`);
  return `Usage: ${COMMANDS[program]} -- [options]

${lines.join('\n')}

THOLE_MODEL=gemini/<name> or openai/<name> in the environment chooses the model; without it a key does.
Conversations and memory are kept in .thole/concierge.db: THOLE_DATA names another folder, THOLE_SESSION_URL another database.
THOLE_MEMORY_DAYS=<number> lets go of what is remembered for longer.`;
}

/** What a command line asks for; throws node's own error for what the program does not know, `INVALID_INPUT` for a port that is none. */
export function readOptions(program: Program, argv: readonly string[]): Options {
  const { values } = parseArgs({
    // Some package managers hand the separator on.
    args: argv[0] === '--' ? argv.slice(1) : [...argv],
    options: Object.fromEntries(entriesOf(program).map(([name, { type }]) => [name, { type }])),
  });
  const { port, guest } = values as { port?: string; guest?: string };
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new TholeError('INVALID_INPUT', '--port must be a number.');
  return {
    port: port === undefined ? undefined : Number(port),
    guest: guest ?? GUEST,
    memory: values['no-memory'] !== true,
    streaming: values['no-stream'] !== true,
    verbose: values['verbose'] === true,
    help: values['help'] === true,
  };
}

type Option = (typeof options)[keyof typeof options];

function entriesOf(program: Program): [string, Option][] {
  return Object.entries(options).filter(([, { of }]) => (of as readonly Program[]).includes(program));
}
