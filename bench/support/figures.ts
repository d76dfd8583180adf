import { appendFileSync } from 'node:fs';

/** One row of the table: two costs in the same unit, measured in one run, and the limit of their ratio. */
export interface Figure {
  figure: string;
  ours: string;
  peer: string;
  ratio: number;
  /** Default: no limit; the row is only printed. */
  limit?: number | undefined;
}

/**
 * Prints figures, appends them to the file `BENCH_ROWS` as lines of JSON, and sets the exit code if a limit is missed.
 */
export class Figures {
  #missed = 0;

  constructor() {
    console.log('figure | ours | peer | ratio | limit |');
  }

  add(figure: string, ours: string, peer: string, ratio: number, limit?: number): void {
    const missed = limit !== undefined && !(ratio <= limit);
    if (missed) this.#missed++;
    const verdict = limit === undefined ? '' : missed ? 'MISSED' : 'ok';
    const shownLimit = limit === undefined ? '–' : `≤ ${shown(limit)}`;
    console.log(`${figure} | ${ours} | ${peer} | ${shown(ratio)} | ${shownLimit} | ${verdict}`);
    const row = [figure, ours, peer, shown(ratio), shownLimit, verdict];
    if (process.env['BENCH_ROWS']) appendFileSync(process.env['BENCH_ROWS'], `${JSON.stringify(row)}\n`);
  }

  /** A comparison of medians. The text next to each cost names its subject. */
  compare(figure: string, ours: Cost, peer: Cost, limit?: number): void {
    const ratio = median(ours.samples) / median(peer.samples);
    this.add(figure, costText(ours), costText(peer), ratio, limit);
  }

  end(): void {
    if (this.#missed > 0) process.exitCode = 1;
  }
}

/** The time of one unit, sample by sample, in microseconds unless another unit is named. */
export interface Cost {
  samples: readonly number[];
  unit?: string | undefined;
  of?: string | undefined;
}

/** Returns the median; the upper one of an even number of values. */
export function median(samples: readonly number[]): number {
  const middle = samples.toSorted((a, b) => a - b)[samples.length >> 1];
  if (middle === undefined) throw new Error('a median needs samples');
  return middle;
}

/** `4,612 µs`, or `4.6 µs` below 100. */
export function costText({ samples, unit = 'µs', of }: Cost): string {
  const value = median(samples);
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${of ? `${of} ` : ''}${text} ${unit}`;
}

/** Formats a ratio. Small ratios are fractions. */
function shown(ratio: number): string {
  if (ratio > 0 && ratio < 0.02) return `1/${Math.round(1 / ratio).toLocaleString('en')}`;
  return String(Number(ratio.toFixed(3)));
}
