import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';

/** Returns the file in which this run's suites list missing servers and browsers. */
export const skippedFile = (): string => join(tmpdir(), `thole-skipped-${process.pid}`);

/** Says, before the closing lines, which suites were skipped for want of a server or a browser, and how many. */
export class SkipReporter implements Reporter {
  onTestRunEnd(): void {
    const file = skippedFile();
    if (!existsSync(file)) return;
    const files = Map.groupBy(new Set(readFileSync(file, 'utf8').trim().split('\n')), (line) => line.split(' ', 1)[0]);
    const counts = [...files].map(([kind, lines]) => `${kind} (${lines.length} file${lines.length === 1 ? '' : 's'})`);
    console.warn(`\nSKIPPED for want of a server or browser: ${counts.join(', ')}`);
  }
}
