import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';

/** Returns the path of the file in which the suites of this run list missing servers and browsers. */
export const skippedFile = (): string => join(tmpdir(), `thole-skipped-${process.pid}`);

/** Prints at the end of a run how many files were skipped for each missing server or browser. */
export class SkipReporter implements Reporter {
  onTestRunEnd(): void {
    const file = skippedFile();
    if (!existsSync(file)) return;
    const files = Map.groupBy(new Set(readFileSync(file, 'utf8').trim().split('\n')), (line) => line.split(' ', 1)[0]);
    const counts = [...files].map(([kind, lines]) => `${kind} (${lines.length} file${lines.length === 1 ? '' : 's'})`);
    console.warn(`\nSKIPPED because a server or browser is missing: ${counts.join(', ')}`);
  }
}
