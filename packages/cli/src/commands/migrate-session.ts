import { Option } from 'commander';
import type { Command } from 'commander';
import type { Host } from '../host.ts';
import type { MigrateOptions } from '../migrate/migrate-sessions.ts';

const EXAMPLES = `
Examples:
  $ thole migrate session --from sqlite:///./adk.db --to sqlite:///./.thole/sessions.db
  $ thole migrate session --from postgresql://user:password@host/adk --to postgresql://user:password@host/thole

The source is only read. Both URLs may name one database. The command can be repeated: existing sessions stay unchanged.
Older tables of ADK with pickled events are rejected; the error says how to convert them with ADK.`;

/** Adds `thole migrate session`. */
export function addMigrate(program: Command, host: Host, setExitCode: (code: number) => void): void {
  program
    .command('migrate')
    .summary('copy data of Google ADK')
    .description('Copies data of Google ADK into a database of Thole.')
    .command('session')
    .summary('copy sessions, events and state')
    .description("Copies the sessions, events and state of Google ADK's DatabaseSessionService.")
    .option('--from <url>', "ADK's database: sqlite://, postgresql:// or mysql://")
    .option('--to <url>', "Thole's database: sqlite://, postgresql:// or mysql://")
    .addOption(new Option('--source-db-url <url>', "ADK's name of --from").hideHelp())
    .addOption(new Option('--dest-db-url <url>', "ADK's name of --to").hideHelp())
    .addHelpText('after', EXAMPLES)
    .action(async (options: MigrateOptions) => {
      // Imported here, so that `--help` starts faster.
      const { migrateSessions } = await import('../migrate/migrate-sessions.ts');
      setExitCode(await migrateSessions(host, options));
    });
}
