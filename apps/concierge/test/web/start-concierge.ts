import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { serveConcierge } from '../../src/web/serve-concierge.ts';

/** A running server of the concierge. */
export interface Running {
  url: string;
  printed: () => string;
  /** Ends the server and returns the exit code. */
  end: () => Promise<number>;
}

/** Starts the concierge in this process with a separate database. It is stopped after the test. */
export async function startConcierge(argv: readonly string[] = ['--port', '0']): Promise<Running> {
  const data = mkdtempSync(join(tmpdir(), 'concierge-'));
  const end = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<string>();
  let printed = '';
  const print = (text: string): void => {
    printed += text;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (url !== undefined) listening.resolve(url);
  };
  const ended = serveConcierge({ argv, env: { THOLE_DATA: data }, print, printError: print, ended: end.promise });
  onTestFinished(async () => {
    end.resolve();
    await ended;
    rmSync(data, { recursive: true });
  });
  return { url: await listening.promise, printed: () => printed, end: () => (end.resolve(), ended) };
}
