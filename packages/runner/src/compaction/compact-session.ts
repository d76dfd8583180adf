import { createEvent, textOf, TholeError } from '@thole/core';
import { raceAbort } from '@thole/core/kit';
import type { CompactionOptions, Event, EventInit, Session, Summarizer, Summary } from '@thole/core';
import { summaryOf } from '../history/compaction-of.ts';
import { OpenRun } from '../invocation/open-run.ts';
import { RunTask } from '../invocation/run-task.ts';
import type { RunInit } from '../runner/runner-deps.ts';
import { LiveSession } from '../session/live-session.ts';
import { compactionRecord, compactionResult } from './compaction-record.ts';
import type { CompactionResult } from './compaction-record.ts';
import { planCompaction } from './plan-compaction.ts';
import type { CompactionWindow } from './plan-compaction.ts';

/** Options of `compactSession`. */
export interface CompactSessionInit {
  readonly options: CompactionOptions;
  readonly summarizer: Summarizer;
  /** True to summarize all events that the rules allow, whether or not a rule is due. */
  readonly isForced: boolean;
  /** Id of the invocation of the active run. Its events are not covered. */
  readonly running?: string | undefined;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** The data of a session that a compaction reads. */
export type CompactedSession = Pick<Session, 'incarnation' | 'lastSeq'> & {
  events: readonly Event[];
  /** The unfinished invocation by the session's marks. Undefined if the service has no marks. */
  unfinished: string | null | undefined;
};

/**
 * Summarizes older events of a session and stores the records. A lease is not needed: an event belongs to the first record that
 * names it, and a rewind has priority over a later record (contract 26). Throws `COMPACTION_FAILED` if the summarizer fails.
 */
export async function compactSession(
  init: RunInit,
  session: CompactedSession,
  p: CompactSessionInit,
): Promise<CompactionResult[]> {
  const results: CompactionResult[] = [];
  for (const window of planCompaction(session.events, p.options, { ...p, unfinished: session.unfinished })) {
    const result = compactionResult(window);
    if (!p.dryRun) {
      const summary = await summarize(init, window, p);
      result.event = await storeRecord(init, session, compactionRecord(window, result, summary));
    }
    results.push(result);
  }
  return results;
}

async function summarize(init: RunInit, window: CompactionWindow, p: CompactSessionInit): Promise<Summary> {
  const { logger } = init.runner.runtime;
  const previous = window.replaces.map(({ record }) => summaryOf(record)).join('\n\n');
  let summary: Summary;
  try {
    const summarizing = p.summarizer.summarize({
      events: [...window.overlap, ...window.events],
      previousSummary: previous === '' ? undefined : previous,
      signal: p.signal,
      logger,
    });
    // A summarizer that ignores its signal must not delay the end of the runner.
    summary = await raceAbort(Promise.resolve(summarizing), p.signal);
  } catch (cause) {
    if (TholeError.is(cause, 'COMPACTION_FAILED')) throw cause;
    throw new TholeError('COMPACTION_FAILED', 'The summarizer failed. The cause is the original error.', { cause });
  }
  if (textOf((summary as Summary | undefined)?.content).trim() === '')
    throw new TholeError('COMPACTION_FAILED', 'The summarizer returned a summary without text.');
  return summary;
}

/** Stores the record, after `onEventCallback` of plugins. Uses a separate session object, because a run may use the cached one. */
async function storeRecord(init: RunInit, session: CompactedSession, record: EventInit): Promise<Event | undefined> {
  const { ref, runner } = init;
  const { incarnation, lastSeq } = session;
  const empty: Session = {
    ...{ id: ref.sessionId, appName: ref.appName, userId: ref.userId },
    ...{ state: {}, events: [], lastUpdateTime: 0, lastSeq, incarnation },
  };
  // This task never begins. It only commits the event.
  const task = new RunTask(init, { ...ref, newMessage: '' });
  task.opened = new OpenRun(task, new LiveSession(empty, undefined), {});
  return task.commit(createEvent({ ...record, invocationId: task.invocationId }, runner.runtime));
}
