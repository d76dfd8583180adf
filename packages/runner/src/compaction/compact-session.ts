import { createEvent, textOf, TholeError } from '@thole/core';
import type {
  CompactionOptions,
  Content,
  Event,
  EventCompaction,
  JsonObject,
  Session,
  Summarizer,
  Summary,
} from '@thole/core';
import { summaryOf } from '../history/compaction-of.ts';
import { OpenRun } from '../invocation/open-run.ts';
import { RunTask } from '../invocation/run-task.ts';
import type { RunInit } from '../runner/runner-deps.ts';
import { LiveSession } from '../session/live-session.ts';
import { planCompaction } from './plan-compaction.ts';
import type { CompactionWindow } from './plan-compaction.ts';

/** One summary of a compaction: the events of one branch that it replaces. */
export interface CompactionResult {
  branch?: string | undefined;
  /** Ids of the events that are newly covered. */
  eventIds: string[];
  /** Ids of the earlier records that the new record replaces. */
  replacedRecords: string[];
  startSeq: number;
  endSeq: number;
  /** The stored record. Undefined for a dry run, and if a plugin dropped it. */
  event?: Event | undefined;
}

/** Options of `compactSession`. */
export interface CompactSessionInit {
  readonly options: CompactionOptions;
  readonly summarizer: Summarizer;
  /** True to summarize all events that the rules allow, whether or not a rule is due. */
  readonly isForced: boolean;
  /** Id of the invocation that runs now. Its events are not covered. */
  readonly running?: string | undefined;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** A session as a compaction reads it. */
export type CompactedSession = Pick<Session, 'incarnation' | 'lastSeq'> & { events: readonly Event[] };

/**
 * Summarizes older events of a session and stores the records. It needs no lease: an event belongs to the first record that
 * names it, and a rewind has priority over a later record (contract 26). Throws `COMPACTION_FAILED` if the summarizer fails.
 */
export async function compactSession(
  init: RunInit,
  session: CompactedSession,
  p: CompactSessionInit,
): Promise<CompactionResult[]> {
  const results: CompactionResult[] = [];
  for (const window of planCompaction(session.events, p.options, p)) {
    const result = resultOf(window);
    if (!p.dryRun) {
      const summary = await summarize(init, window, p);
      result.event = await storeRecord(init, session, recordEvent(window, result, summary));
    }
    results.push(result);
  }
  return results;
}

function resultOf({ branch, events, replaces }: CompactionWindow): CompactionResult {
  const seqs = [
    ...events.map(({ seq }) => seq!),
    ...replaces.flatMap(({ record }) => [record.startSeq, record.endSeq]),
  ].toSorted((a, b) => a - b);
  return {
    ...(branch !== undefined && { branch }),
    eventIds: events.map(({ id }) => id),
    replacedRecords: replaces.map(({ event }) => event.id),
    startSeq: seqs[0]!,
    endSeq: seqs.at(-1)!,
  };
}

async function summarize(init: RunInit, window: CompactionWindow, p: CompactSessionInit): Promise<Summary> {
  const { logger } = init.runner.runtime;
  const previous = window.replaces.map(({ record }) => summaryOf(record)).join('\n\n');
  let summary: Summary;
  try {
    summary = await p.summarizer.summarize({
      events: [...window.overlap, ...window.events],
      previousSummary: previous === '' ? undefined : previous,
      signal: p.signal,
      logger,
    });
  } catch (cause) {
    if (TholeError.is(cause, 'COMPACTION_FAILED')) throw cause;
    throw new TholeError('COMPACTION_FAILED', 'The summarizer failed. The cause is the original error.', { cause });
  }
  if (textOf((summary as Summary | undefined)?.content).trim() === '')
    throw new TholeError('COMPACTION_FAILED', 'The summarizer returned a summary without text.');
  return summary;
}

function recordEvent(
  window: CompactionWindow,
  result: CompactionResult,
  summary: Summary,
): Parameters<typeof createEvent>[0] {
  const { startSeq, endSeq, eventIds, replacedRecords } = result;
  const times = [...window.replaces.flatMap(({ record }) => record.startTimestamp ?? []), window.events[0]!.timestamp];
  const compaction: EventCompaction = {
    startSeq,
    endSeq,
    eventIds: [...replacedRecords, ...eventIds],
    compactedContent: withoutThoughts(summary.content),
    startTimestamp: Math.min(...times),
    endTimestamp: window.events.at(-1)!.timestamp,
  };
  const { usageMetadata } = summary;
  return {
    author: 'system',
    actions: { compaction },
    ...(window.branch !== undefined && { branch: window.branch }),
    ...(usageMetadata && { usageMetadata }),
  };
}

function withoutThoughts(content: Content): JsonObject {
  return { role: 'model', parts: [{ text: textOf(content) }] };
}

/** Stores the record through the plugins. The session object is separate: a run may use the cached one. */
async function storeRecord(
  init: RunInit,
  session: CompactedSession,
  record: Parameters<typeof createEvent>[0],
): Promise<Event | undefined> {
  const { ref, runner } = init;
  const { incarnation, lastSeq } = session;
  const empty: Session = {
    ...{ id: ref.sessionId, appName: ref.appName, userId: ref.userId },
    ...{ state: {}, events: [], lastUpdateTime: 0, lastSeq, incarnation },
  };
  // A task that never begins: it only commits this event.
  const task = new RunTask(init, { ...ref, newMessage: '' });
  task.opened = new OpenRun(task, new LiveSession(empty, undefined), undefined);
  return task.commit(createEvent({ ...record, invocationId: task.invocationId }, runner.runtime));
}
