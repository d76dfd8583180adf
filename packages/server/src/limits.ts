import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';

/** Limits of bodies, headers, runs, streams and lists. */
export interface Limits {
  /** Maximum bytes of a body. Larger bodies are answered with 413. Default: 16 MiB. */
  readonly bodyBytes: number;
  /** Time in which a body must arrive, in milliseconds. Later bodies are answered with 408. Default: 30,000. */
  readonly bodyMs: number;
  /**
   * Maximum bytes of all header names and values. Larger headers are answered with 431. Default: the limit of the platform, which
   * is 32 KiB for `serve`.
   */
  readonly headerBytes: number;
  /** Maximum number of active runs. Further runs are answered with 503. Default: 1,000. */
  readonly concurrentRuns: number;
  /** Time limit of a run in milliseconds. Longer runs end with `RUN_TIME_LIMIT`. Default: 600,000. */
  readonly runMs: number;
  /** Time without an event after which a stream sends a heartbeat, in milliseconds. Default: 15,000. */
  readonly heartbeatMs: number;
  /**
   * Maximum number of characters that are buffered for each run that continues without its client. A reader that needs older
   * events receives the stored events instead, without partial events. Default: 65,536.
   */
  readonly runBufferChars: number;
  /** Maximum number of items on a page of a list, and in a list without paging. Default: 1,000. */
  readonly listItems: number;
}

/** Limits that differ from the defaults. */
export type LimitOptions = { readonly [name in keyof Limits]?: number | undefined };

const knownLimits = optionNames<Limits>({
  bodyBytes: true,
  bodyMs: true,
  headerBytes: true,
  concurrentRuns: true,
  runMs: true,
  heartbeatMs: true,
  runBufferChars: true,
  listItems: true,
});
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

/** Returns all limits. Throws `INVALID_INPUT` for an unknown limit and for a value that is not an integer ≥ 1. */
export function resolveLimits(options: LimitOptions = {}): Limits {
  rejectUnknownOptions(options, knownLimits, 'limits');
  const limits: Record<string, number> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    assertCount(`limits.${name}`, value, 1);
    limits[name] = value;
  }
  return limits as unknown as Limits;
}
