import { Command } from 'commander';
import type { CommanderError } from 'commander';

import { addCreate } from './commands/create.ts';
import { addMigrate } from './commands/migrate-session.ts';
import { addRun } from './commands/run.ts';
import { addApiServer, addWeb } from './commands/serve.ts';
import { hostOf } from './host.ts';
import type { MainOptions } from './host.ts';
import { ownVersion } from './own-version.ts';
import { isUsageError } from './options/usage-error.ts';
import { withDashes } from './options/with-dashes.ts';

const EXAMPLES = `
Examples:
  $ thole create hello --model demo    a project that runs without a key
  $ thole run hello                    talk to it here
  $ thole web hello                    talk to it in the browser
  $ thole api_server agents            serve every agent of a folder

Options may be written with - or _ (--session-service-uri, --session_service_uri).
thole <command> --help tells more of a command.`;

/**
 * The `thole` command with what it takes from its surroundings, which are the process's unless given. Answers the exit code: 0, 1 for
 * what failed, 2 for what was typed wrongly. Never throws; errors are one sentence, with `--verbose` their stack too.
 */
export async function main(options: MainOptions = {}): Promise<number> {
  const host = hostOf(options);
  const argv = withDashes(host.argv);
  let code = 0;
  const program = new Command('thole')
    .description('Makes, runs and serves agents written with Thole.')
    .version(ownVersion(), '-V, --version', 'print the version')
    .option('--verbose', 'print the stack of an error too')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help of a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => void host.output.write(text),
      writeErr: (text) => void host.errors.write(text),
    })
    .exitOverride();
  const ends = (ended: number): void => void (code = ended);
  addCreate(program, host, ends);
  addRun(program, host, ends);
  addWeb(program, host, ends);
  addApiServer(program, host, ends);
  addMigrate(program, host, ends);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (isOfCommander(error)) return error.exitCode === 0 ? 0 : 2;
    const verbose = argv.includes('--verbose');
    // Not before: `--help` should not wait for it.
    const { errorLine } = await import('./terminal/error-line.ts');
    host.errors.write(`error: ${errorLine(error, { verbose })}\n`);
    return isUsageError(error) ? 2 : 1;
  }
}

function isOfCommander(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}
