import { appendFileSync } from 'node:fs';

/**
 * Prints figures, appends them to the file `BENCH_ROWS` as lines of JSON, and sets the exit code if a limit is missed.
 */
export class Figures {
  #missed = 0;

  constructor() {
    console.log('figure | ours | peer | ratio | limit |');
  }

  /** Adds a row: two costs in the same unit, measured in one run. Without a limit of their ratio, the row is only printed. */
  add(figure: string, ours: string, peer: string, ratio: number, limit?: number): void {
    const missed = limit !== undefined && !(ratio <= limit);
    if (missed) this.#missed++;
    const verdict = limit === undefined ? '' : missed ? 'MISSED' : 'ok';
    const shownLimit = limit === undefined ? '–' : `≤ ${formatRatio(limit)}`;
    console.log(`${figure} | ${ours} | ${peer} | ${formatRatio(ratio)} | ${shownLimit} | ${verdict}`);
    const row = [figure, ours, peer, formatRatio(ratio), shownLimit, verdict];
    if (process.env['BENCH_ROWS']) appendFileSync(process.env['BENCH_ROWS'], `${JSON.stringify(row)}\n`);
  }

  /** Adds a comparison of two medians. `limit` is the maximum of the ratio. */
  compare(figure: string, ours: Cost, peer: Cost, limit?: number): void {
    const ratio = median(ours.samples) / median(peer.samples);
    this.add(figure, formatCost(ours), formatCost(peer), ratio, limit);
  }

  /** Sets the exit code to 1 if a limit was missed. */
  end(): void {
    if (this.#missed > 0) process.exitCode = 1;
  }
}

/** A measured cost per unit of work. */
export interface Cost {
  samples: readonly number[];
  /** Default: µs. */
  unit?: string | undefined;
  /** Subject of the cost, such as `adk`. Printed before the value. */
  of?: string | undefined;
}

/** Returns the median. Of an even number of values, returns the upper of the two middle ones. Throws for an empty list. */
export function median(samples: readonly number[]): number {
  const middle = samples.toSorted((a, b) => a - b)[samples.length >> 1];
  if (middle === undefined) throw new Error('There are no samples for a median.');
  return middle;
}

/** Formats the median of a cost: `4,612 µs`, or `4.6 µs` below 100. */
function formatCost({ samples, unit = 'µs', of }: Cost): string {
  const value = median(samples);
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${of ? `${of} ` : ''}${text} ${unit}`;
}

/** Formats a ratio. Small ratios are fractions. */
function formatRatio(ratio: number): string {
  if (ratio > 0 && ratio < 0.02) return `1/${Math.round(1 / ratio).toLocaleString('en')}`;
  return String(Number(ratio.toFixed(3)));
}
