import { TholeError } from '@thole/core';
import { assertCount, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { CompactionOptions, ContextCacheOptions } from '@thole/core';

const compactionNames = optionNames<CompactionOptions>({
  interval: true,
  overlap: true,
  tokenThreshold: true,
  eventRetention: true,
  summarizer: true,
});
const cacheNames = optionNames<ContextCacheOptions>({ cacheIntervals: true, ttlSeconds: true, minTokens: true });

/** Throws `INVALID_INPUT` for invalid options of compaction. */
export function assertCompaction(options: CompactionOptions): void {
  rejectUnknownOptions(options, compactionNames, 'app.compaction');
  const { interval, overlap, tokenThreshold, eventRetention, summarizer } = options;
  if (interval !== undefined) assertCount('app.compaction.interval', interval, 1);
  if (overlap !== undefined) assertCount('app.compaction.overlap', overlap);
  if (tokenThreshold !== undefined) assertCount('app.compaction.tokenThreshold', tokenThreshold, 1);
  if (eventRetention !== undefined) assertCount('app.compaction.eventRetention', eventRetention);
  if (interval === undefined && tokenThreshold === undefined)
    throw invalid('app.compaction needs interval, or tokenThreshold and eventRetention.');
  if (overlap !== undefined && interval === undefined) throw invalid('app.compaction.overlap needs interval.');
  if ((tokenThreshold === undefined) !== (eventRetention === undefined))
    throw invalid('app.compaction.tokenThreshold and app.compaction.eventRetention must be set together.');
  if (summarizer !== undefined && typeof (summarizer as { summarize?: unknown } | null)?.summarize !== 'function')
    throw invalidInput('app.compaction.summarizer', 'an object with summarize()', summarizer);
}

/** Throws `INVALID_INPUT` for invalid options of prompt caching. */
export function assertContextCache(options: ContextCacheOptions): void {
  rejectUnknownOptions(options, cacheNames, 'app.contextCache');
  const { cacheIntervals, ttlSeconds, minTokens } = options;
  if (cacheIntervals !== undefined) {
    assertCount('app.contextCache.cacheIntervals', cacheIntervals, 1);
    if (cacheIntervals > 100) throw invalid('app.contextCache.cacheIntervals must be at most 100.');
  }
  if (ttlSeconds !== undefined) assertCount('app.contextCache.ttlSeconds', ttlSeconds, 1);
  if (minTokens !== undefined) assertCount('app.contextCache.minTokens', minTokens);
}

const invalid = (message: string): TholeError => new TholeError('INVALID_INPUT', message);
