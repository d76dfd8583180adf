import { parseArgs } from 'node:util';
import { TholeError } from '@thole/core';

export interface ServeOptions {
  /** Undefined for the usual one, or a free one where that is taken. */
  port: number | undefined;
  help: boolean;
}

export const SERVE_USAGE = `Usage: npm start -- [options]

  --port <number>  where to listen, on 127.0.0.1 (8000, or a free one where that is taken)
  --help           show this

THOLE_MODEL=gemini/<name> or openai/<name> in the environment chooses the model; without it a key does.
Conversations are kept in .thole/concierge.db: THOLE_DATA names another folder, THOLE_SESSION_URL another database.`;

/** What the command line asks for; throws node's own error for what it does not know, `INVALID_INPUT` for a port that is none. */
export function readServeOptions(argv: readonly string[]): ServeOptions {
  const { values } = parseArgs({
    // Some package managers hand the separator on.
    args: argv[0] === '--' ? argv.slice(1) : [...argv],
    options: { port: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port))
    throw new TholeError('INVALID_INPUT', '--port must be a number.');
  return { port: values.port === undefined ? undefined : Number(values.port), help: values.help };
}
