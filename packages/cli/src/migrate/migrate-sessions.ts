import { databaseUrl, readServiceUri } from '@thole/services/kit';
import { migrateFromAdk } from '@thole/sql-services';
import type { Host } from '../host.ts';
import { usageError, withUsageErrors } from '../options/usage-error.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';

/** Options of `thole migrate session`. */
export interface MigrateOptions {
  from?: string | undefined;
  to?: string | undefined;
  sourceDbUrl?: string | undefined;
  destDbUrl?: string | undefined;
}

const EXAMPLE = 'the URL of a database, such as sqlite:///./adk.db';
const DATABASES = ['sqlite', 'postgresql', 'mysql'];

/** Copies ADK's sessions and shows the progress. Returns the exit code. */
export async function migrateSessions(host: Host, options: MigrateOptions): Promise<number> {
  const [from, to] = await withUsageErrors(async () => [
    readUrl(host, '--from', options.from ?? options.sourceDbUrl),
    readUrl(host, '--to', options.to ?? options.destDbUrl),
  ]);
  const { runtime } = host;
  const progress = createProgress(host);
  const result = await migrateFromAdk({
    from: { dbUrl: from, runtime },
    to: { dbUrl: to, runtime },
    onProgress: (state) => progress.show(state),
  }).finally(() => progress.end());
  const skipped = result.skipped === 0 ? '' : ` ${count(result.skipped, 'session')} existed already.`;
  const copied = `Copied ${count(result.sessions, 'session')} with ${count(result.events, 'event')}.`;
  lineWriter(host.output)(copied + skipped);
  return 0;
}

function readUrl({ cwd }: Host, option: string, text: string | undefined): string {
  if (text?.includes('://') !== true) throw usageError(`${option} must be ${EXAMPLE}.`);
  const uri = readServiceUri(option, text);
  if (!DATABASES.includes(uri.scheme)) {
    const schemes = DATABASES.map((each) => `${each}://`).join(', ');
    throw usageError(`${option} must be one of ${schemes}, got ${uri.scheme}://.`);
  }
  return databaseUrl(uri, cwd);
}

/** Returns a progress bar for a terminal. Otherwise a line is printed for each tenth of the sessions. */
function createProgress({ errors }: Host): {
  show(state: { sessions: number; skipped: number; total: number }): void;
  end(): void;
} {
  const bar = new ProgressBar((text) => void errors.write(text));
  const print = lineWriter(errors);
  let lastPrinted = 0;
  return {
    show({ sessions, skipped, total }) {
      const done = sessions + skipped;
      const text = `${done} of ${count(Math.max(total, done), 'session')}`;
      if (errors.isTTY === true) {
        bar.show(done, total, text);
      } else if (done === total || done - lastPrinted >= total / 10) {
        lastPrinted = done;
        print(text);
      }
    },
    end: () => bar.end(),
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
