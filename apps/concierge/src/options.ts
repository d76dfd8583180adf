import { parseArgs } from 'node:util';
import { TholeError } from '@thole/core';

/** The programs: `npm start` runs the server with its page, `npm run chat` the chat in the terminal. */
export type Program = 'start' | 'chat';

/** Options of the command line. Each program has some of them. */
export interface Options {
  /** Undefined: the default port, or a free one if that is taken. */
  port: number | undefined;
  guest: string;
  memory: boolean;
  streaming: boolean;
  /** True to print stacks of errors. */
  verbose: boolean;
  help: boolean;
}

/** The default guest. The page has the same default, so that both share a memory. */
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

/** Returns the usage text of a program. */
export function usageOf(program: Program): string {
  const lines = entriesOf(program).map(([, { usage, help }]) => `  ${usage.padEnd(16)} ${help}`);
  return `Usage: ${COMMANDS[program]} -- [options]

${lines.join('\n')}

THOLE_MODEL=gemini/<name> or openai/<name> in the environment chooses the model; without it a key does.
Conversations and memory are kept in .thole/concierge.db: THOLE_DATA names another folder, THOLE_SESSION_URL another database.
THOLE_MEMORY_DAYS=<number> lets go of what is remembered for longer.`;
}

/**
 * Returns the options of a command line. Throws Node's error for unknown options and `INVALID_INPUT` for an invalid
 * port.
 */
export function readOptions(program: Program, argv: readonly string[]): Options {
  const { values } = parseArgs({
    // Some package managers pass the separator on.
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
