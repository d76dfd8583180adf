import { Option } from 'commander';
import type { Command } from 'commander';
import type { Host } from '../host.ts';
import type { MigrateOptions } from '../migrate/migrate-sessions.ts';

const EXAMPLES = `
Examples:
  $ thole migrate session --from sqlite:///./adk.db --to sqlite:///./.thole/sessions.db
  $ thole migrate session --from postgresql://user:password@host/adk --to postgresql://user:password@host/thole

The source is only read, and both may be one database. It may be repeated: what is there already stays as it is.
ADK's older tables, whose events are pickled, are refused; the error says how ADK itself converts them.`;

/** `thole migrate session`: copies what Google ADK has stored. */
export function addMigrate(program: Command, host: Host, ends: (code: number) => void): void {
  program
    .command('migrate')
    .summary('copy what Google ADK has stored')
    .description('Copies what Google ADK has stored into a database of Thole.')
    .command('session')
    .summary('copy sessions, events and state')
    .description("Copies the sessions, events and state that Google ADK's DatabaseSessionService has stored.")
    .option('--from <url>', "ADK's database: sqlite://, postgresql:// or mysql://")
    .option('--to <url>', "Thole's database, of the same kinds")
    .addOption(new Option('--source-db-url <url>', 'as ADK calls --from').hideHelp())
    .addOption(new Option('--dest-db-url <url>', 'as ADK calls --to').hideHelp())
    .addHelpText('after', EXAMPLES)
    .action(async (options: MigrateOptions) => {
      // Not before: help should not wait for it.
      const { migrateSessions } = await import('../migrate/migrate-sessions.ts');
      ends(await migrateSessions(host, options));
    });
}
