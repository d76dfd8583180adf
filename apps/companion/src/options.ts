import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { EnvVars } from '@thole/core';
import { TholeError } from '@thole/core';

/** Usage text of `npm run companion`. */
export const USAGE = `Usage: npm run companion -- [options]             talk in the terminal
       npm run companion -- grow [options]        propose memories from past conversations
       npm run companion -- grow show             show the open proposals with their evidence
       npm run companion -- grow apply <numbers>  apply proposals, or all
       npm run companion -- grow undo             undo the last apply

  --data <folder>  folder of all data and of companion.yaml (default: THOLE_DATA, or .thole/companion)
  --port <number>  serve the page on this port of 127.0.0.1 (default: no page)
  --user <id>      grow: the user (default: the one of the terminal)
  --verbose        print more, and the stack of an error
  --help           print this text

GEMINI_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY selects the model. Without one, an offline demo model answers.
Secrets of channels: COMPANION_HTTP_SECRET, TELEGRAM_BOT_TOKEN, WHATSAPP_…. Settings: companion.yaml in the data folder.`;

/** Options of the program. */
export interface ProgramOptions {
  help: boolean;
  verbose: boolean;
  /** Absolute path of the data folder. */
  folder: string;
  port: number | undefined;
  /** Arguments after `grow`. Undefined: the command is not `grow`. */
  grow: readonly string[] | undefined;
  user: string | undefined;
}

/** Reads the options. Throws Node's error for unknown options and `INVALID_INPUT` for wrong values. */
export function readOptions(argv: readonly string[], env: EnvVars): ProgramOptions {
  const { positionals, values } = parseArgs({
    // Some package managers pass the separator `--` to the program.
    args: argv.slice(argv[0] === '--' ? 1 : 0),
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      user: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, ...words] = positionals;
  if (command !== undefined && command !== 'grow')
    throw new TholeError('INVALID_INPUT', 'The only command is grow. Without a command, you talk in the terminal.');
  if (values.user !== undefined && command === undefined)
    throw new TholeError('INVALID_INPUT', '--user is only for grow. companion.yaml names the user of the terminal.');
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(/^\d+$/.test(values.port!) && port <= 65_535))
    throw new TholeError('INVALID_INPUT', '--port must be an integer from 0 to 65535.');
  // Package managers that run the app in its own folder set `INIT_CWD` to the folder of the caller.
  const folder = resolve(env['INIT_CWD'] ?? '.', values.data || env['THOLE_DATA'] || '.thole/companion');
  const { help, user, verbose } = values;
  return { help, verbose, folder, port, grow: command === 'grow' ? words : undefined, user };
}
