import { textOf, TholeError } from '@thole/core';
import { isCurrentMemory, typeName } from '@thole/core/kit';
import type { MemoryEntry, Runtime, UserRef } from '@thole/core';
import type { FullMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import { applyOperations } from './apply-operations.ts';
import { batchTurns } from './batch-turns.ts';
import type { Batch } from './batch-turns.ts';
import { checkOperations } from './check-operations.ts';
import { addMark, hasExtractedFacts } from './extraction-mark.ts';
import type { FactExtractor, FactRequest, FactTurn, KnownFact } from './fact-extractor.ts';

/** The result of extracting facts from new turns. */
export interface FactReport {
  /** Number of new turns. */
  turns: number;
  /** Number of new facts. */
  added: number;
  /** Number of facts and notes that a newer fact has ended. */
  superseded: number;
  /** Number of deleted duplicates. */
  dropped: number;
  /** Number of operations that were not valid. */
  rejected: number;
}

/** Options of `extractFacts`. */
export interface ExtractFactsOptions {
  memory: FullMemory;
  extractor: FactExtractor;
  runtime: Runtime;
  user: UserRef;
  /** Undefined for all sessions of the user. */
  sessionId: string | undefined;
  /** The texts of turns that are stored without text, by id. If given, facts are extracted only from these turns. */
  texts: ReadonlyMap<string, string> | undefined;
  evidenceFrom: 'user' | 'anyone';
  timeZone: string | undefined;
  limits: { batchTokens: number; contextTokens: number; knownFacts: number };
  signal: AbortSignal | undefined;
}

/**
 * Extracts facts from new turns, batch by batch, and marks the turns of each finished batch. After a failure the next call continues
 * with the unfinished batch. If the model refuses a session, the other sessions are still processed before the error is thrown. An error
 * that does not depend on the session, such as an overloaded model, is thrown at once.
 */
export async function extractFacts(p: ExtractFactsOptions): Promise<FactReport> {
  const report: FactReport = { turns: 0, added: 0, superseded: 0, dropped: 0, rejected: 0 };
  const filter = { kinds: ['turn' as const], sessionId: p.sessionId };
  const { texts } = p;
  const all = await listAllMemories(p.memory, { ...p.user, filter, signal: p.signal });
  const entries = texts ? all.filter(({ id }) => texts.has(id)) : all;
  let failure: TholeError | undefined;
  for (const [sessionId, turns] of Map.groupBy(entries, (entry) => entry.sessionId)) {
    if (sessionId === undefined || turns.every(hasExtractedFacts)) continue;
    try {
      await extractFromSession(turns, sessionId, p, report);
    } catch (error) {
      if (p.signal?.aborted || !TholeError.is(error) || error.retryable) throw error;
      // The key is wrong, or the quota of the account is used up.
      if (error.code === 'MODEL_AUTH' || error.code === 'MODEL_RATE_LIMITED') throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return report;
}

async function extractFromSession(
  entries: readonly MemoryEntry[],
  sessionId: string,
  p: ExtractFactsOptions,
  report: FactReport,
): Promise<void> {
  const inOrder = entries.toSorted((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  const turns = inOrder.map((entry) => ({ turn: toFactTurn(entry, p.texts), isNew: !hasExtractedFacts(entry) }));
  for (const batch of batchTurns(turns, p.limits)) {
    p.signal?.throwIfAborted();
    await extractFromBatch(batch, sessionId, p, report);
    for (const { id } of batch.turns) {
      // Read again, because the metadata may have changed while the extractor was working.
      const turn = await p.memory.getMemory({ ...p.user, id });
      if (turn) await p.memory.updateMemory({ ...p.user, id, change: addMark(turn) });
      report.turns++;
    }
  }
}

async function extractFromBatch(
  batch: Batch,
  sessionId: string,
  p: ExtractFactsOptions,
  report: FactReport,
): Promise<void> {
  const { memory, user, extractor, evidenceFrom, timeZone, runtime, signal } = p;
  // Facts without evidence of the user would be rejected.
  if (evidenceFrom === 'user' && !batch.turns.some(({ author }) => author === 'user')) return;
  const now = runtime.now();
  const all = await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] }, signal });
  const current = all.filter((entry) => isCurrentMemory(entry, now));
  const known = await findSimilarFacts(all, current, batch, p);
  const request: FactRequest = { ...batch, known, now, ...(timeZone !== undefined && { timeZone }) };
  const operations = await callExtractor(extractor, request, signal);
  const { accepted, rejected } = checkOperations(operations, request, evidenceFrom);
  for (const reason of rejected)
    runtime.logger.warn('An operation on facts was rejected.', { appName: user.appName, sessionId, reason });
  report.rejected += rejected.length;
  const applied = await applyOperations(accepted, { memory, user, sessionId, current, request });
  report.added += applied.added;
  report.superseded += applied.superseded;
  report.dropped += applied.dropped;
}

/**
 * Returns the extractor's operations. Throws `MODEL_FAILED` with the extractor's error as cause, unless that is a `TholeError`. Throws
 * `OUTPUT_INVALID` if the extractor returns no array.
 */
async function callExtractor(
  extractor: FactExtractor,
  request: FactRequest,
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  let operations: unknown;
  try {
    operations = await extractor.extract(request, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    if (TholeError.is(cause)) throw cause;
    throw new TholeError('MODEL_FAILED', 'The fact extractor failed; see the cause.', { cause });
  }
  signal?.throwIfAborted();
  if (Array.isArray(operations)) return operations;
  const message = `The fact extractor must return an array of operations, got ${typeName(operations)}.`;
  throw new TholeError('OUTPUT_INVALID', message);
}

/** Returns the current facts and notes. If there are more than `knownFacts`, returns the ones most similar to the new turns. */
async function findSimilarFacts(
  all: readonly MemoryEntry[],
  current: readonly MemoryEntry[],
  batch: Batch,
  p: ExtractFactsOptions,
): Promise<KnownFact[]> {
  const limit = p.limits.knownFacts;
  if (current.length <= limit) return current.map(toKnownFact);
  const byId = new Map(current.map((entry) => [entry.id, entry]));
  const query = batch.turns.map(({ text }) => text).join('\n');
  // The limit includes the past facts, which may be more similar than current ones.
  const search = {
    ...p.user,
    query,
    limit: limit + all.length - current.length,
    filter: { kinds: ['fact' as const, 'note' as const] },
    // Not the service's defaults for searches of users: few facts contain a large part of the words of the turns.
    minRelevance: 0,
    minScore: -1,
  };
  const { memories } = await p.memory.searchMemory({ ...search, signal: p.signal });
  return memories
    .flatMap(({ id }) => byId.get(id) ?? [])
    .slice(0, limit)
    .map(toKnownFact);
}

function toFactTurn(
  { id, author = '', content, timestamp }: MemoryEntry,
  texts: ReadonlyMap<string, string> | undefined,
): FactTurn {
  return { id, author, text: texts?.get(id) ?? textOf(content), timestamp };
}

function toKnownFact({ id, kind, content, validFrom, timestamp }: MemoryEntry): KnownFact {
  return { id, kind: kind === 'note' ? 'note' : 'fact', text: textOf(content), validFrom: validFrom ?? timestamp };
}
