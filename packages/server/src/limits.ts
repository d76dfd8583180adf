import { assertCount, rejectUnknownOptions } from '@thole/core/kit';

/** What a client may cost. */
export interface Limits {
  /** Bytes of a body, 16 MiB: `413`. */
  readonly bodyBytes: number;
  /** How long a body may take to come, 30 s: `408`. */
  readonly bodyMs: number;
  /** Bytes of all header names and values: `431`. What the platform allows, unless given; behind `serve` 32 KiB. */
  readonly headerBytes: number;
  /** Runs going on at once, 1,000: `503` beyond. */
  readonly concurrentRuns: number;
  /** How long a run may take, 10 minutes: `RUN_TIME_LIMIT`. */
  readonly runMs: number;
  /** How often a silent stream says that it lives, 15 s. */
  readonly heartbeatMs: number;
  /** Characters kept of each run that goes on without its client, 64 Ki; a reader that needs more gets what was stored. */
  readonly runBufferChars: number;
  /** Sessions a page of a list holds at most, and all that a list without paging shows, 1,000. */
  readonly listItems: number;
}

/** Limits that are other than usual. */
export type LimitOptions = { readonly [name in keyof Limits]?: number | undefined };

const DEFAULTS: Limits = {
  bodyBytes: 16 * 1024 * 1024,
  bodyMs: 30_000,
  headerBytes: Infinity,
  concurrentRuns: 1_000,
  runMs: 600_000,
  heartbeatMs: 15_000,
  runBufferChars: 64 * 1024,
  listItems: 1_000,
};

/** `INVALID_INPUT` for a limit that is unknown or no whole number from 1 on. */
export function checkedLimits(options: LimitOptions = {}): Limits {
  rejectUnknownOptions(options, Object.keys(DEFAULTS), 'limits');
  const limits: Record<string, number> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    assertCount(`limits.${name}`, value, 1);
    limits[name] = value;
  }
  return limits as unknown as Limits;
}
