import { Command } from 'commander';
import type { CommanderError } from 'commander';

import { addCreate } from './commands/create.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigrate } from './commands/migrate-session.ts';
import { addReplay } from './commands/replay.ts';
import { addRun } from './commands/run.ts';
import { addApiServer, addWeb } from './commands/serve.ts';
import { createHost, isVerbose } from './host.ts';
import type { MainOptions } from './host.ts';
import { ownVersion } from './own-version.ts';
import { isUsageError } from './options/usage-error.ts';
import { spelledAsIn, withDashes } from './options/with-dashes.ts';

const EXAMPLES = `
Examples:
  $ thole create hello --model demo    create a project that needs no key
  $ thole run hello                    chat with an agent in the terminal
  $ thole web hello                    chat with an agent in the browser
  $ thole api_server agents            serve all agents of a folder
  $ thole mcp hello                    serve an agent as a tool over MCP

Names of options may contain - or _ (--session-service-uri, --session_service_uri).
Run "thole <command> --help" for the options and examples of a command.`;

/**
 * Runs the `thole` command and returns the exit code: 0, 1 for a failure, 2 for a usage error. Never throws. Errors are written
 * to `errors` as one sentence, with `--verbose` also with their stack.
 */
export async function main(options: MainOptions = {}): Promise<number> {
  const host = createHost(options);
  const argv = withDashes(host.argv);
  let code = 0;
  const program = new Command('thole')
    .description('Creates, runs and serves agents written with Thole.')
    .version(ownVersion(), '-V, --version', 'print the version')
    .option('--verbose', 'print the stack of errors')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => void host.output.write(text),
      writeErr: (text) => void host.errors.write(text),
    })
    .exitOverride();
  const setExitCode = (exitCode: number): void => void (code = exitCode);
  addCreate(program, host, setExitCode);
  addRun(program, host, setExitCode);
  addWeb(program, host, setExitCode);
  addApiServer(program, host, setExitCode);
  addMcp(program, host, setExitCode);
  addReplay(program, host, setExitCode);
  addMigrate(program, host, setExitCode);
  try {
    await program.parseAsync(withoutUnknownHelp(argv, program), { from: 'user' });
    return code;
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? 0 : 2;
    const verbose = isVerbose({ argv });
    // Imported here, so that `--help` starts faster.
    const { errorLine } = await import('./terminal/error-line.ts');
    host.errors.write(`error: ${spelledAsIn(host.argv, errorLine(error, { verbose }))}\n`);
    return isUsageError(error) ? 2 : 1;
  }
}

/** Returns the arguments without `help` before an unknown command, so that the error names the command. */
function withoutUnknownHelp(argv: readonly string[], program: Command): string[] {
  const [first, name] = argv.filter((argument) => !argument.startsWith('-'));
  const isUnknown = first === 'help' && name !== undefined && !namesOf(program).includes(name);
  return argv.filter((argument) => !isUnknown || argument !== 'help');
}

function namesOf(program: Command): string[] {
  return ['help', ...program.commands.flatMap((command) => [command.name(), ...command.aliases()])];
}

function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}
