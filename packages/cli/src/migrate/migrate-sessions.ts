import { migrateFromAdk } from '@thole/sql-services';
import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import { databaseUrl } from '../services/database-url.ts';
import { readServiceUri } from '../services/service-uri.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import { linesTo } from '../terminal/write-to.ts';

/** What `thole migrate session` was told. */
export interface MigrateOptions {
  from?: string | undefined;
  to?: string | undefined;
  sourceDbUrl?: string | undefined;
  destDbUrl?: string | undefined;
}

const DATABASES = ['sqlite', 'postgresql', 'mysql'];

/** Copies ADK's sessions, with progress. Answers the exit code. */
export async function migrateSessions(host: Host, options: MigrateOptions): Promise<number> {
  const from = await urlOf(host, '--from', options.from ?? options.sourceDbUrl);
  const to = await urlOf(host, '--to', options.to ?? options.destDbUrl);
  const { runtime } = host;
  const progress = progressOf(host);
  const done = await migrateFromAdk({
    from: { dbUrl: from, runtime },
    to: { dbUrl: to, runtime },
    onProgress: (done) => progress.show(done),
  }).finally(() => progress.end());
  const skipped = done.skipped === 0 ? '' : ` ${count(done.skipped, 'session')} were there already.`;
  linesTo(host.output)(`Copied ${count(done.sessions, 'session')} with ${count(done.events, 'event')}.${skipped}`);
  return 0;
}

async function urlOf({ cwd }: Host, option: string, text: string | undefined): Promise<string> {
  if (text === undefined) throw usageError(`${option} is missing: the URL of a database, such as sqlite:///./adk.db.`);
  const uri = readServiceUri(option, text);
  if (!DATABASES.includes(uri.scheme)) {
    const taken = DATABASES.map((each) => `${each}://`).join(', ');
    throw usageError(`${option} cannot be ${uri.scheme}://; it takes ${taken}.`);
  }
  return databaseUrl(uri, cwd);
}

/** A bar where somebody looks at a terminal, else a line for each tenth. */
function progressOf({ errors }: Host): {
  show(done: { sessions: number; skipped: number; total: number }): void;
  end(): void;
} {
  const bar = new ProgressBar((text) => void errors.write(text));
  const print = linesTo(errors);
  let shown = 0;
  return {
    show({ sessions, skipped, total }) {
      const done = sessions + skipped;
      const words = `${done} of ${count(Math.max(total, done), 'session')}`;
      if (errors.isTTY === true) {
        bar.show(done, total, words);
      } else if (done === total || done - shown >= total / 10) {
        shown = done;
        print(words);
      }
    },
    end: () => bar.end(),
  };
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
