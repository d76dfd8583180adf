import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { applyRewinds, newestFirst } from '@thole/core/kit';
import type { CompactionOptions, Event, EventLog } from '@thole/core';
import { includeEvents } from '../contents/include-events.ts';
import { activeCompactions } from '../history/active-compactions.ts';
import type { ActiveCompaction } from '../history/active-compactions.ts';
import { callKey } from '../history/call-key.ts';
import { compactionOf } from '../history/compaction-of.ts';
import { estimatePromptTokens } from './estimate-prompt-tokens.ts';
import { isJournalEvent } from './is-journal-event.ts';
import { openInvocations } from './open-invocations.ts';

/** Events of one branch to summarize. */
export interface CompactionWindow {
  readonly branch: string | undefined;
  /** The events to cover, oldest first. */
  readonly events: readonly Event[];
  /** Covered events before `events` that the summarizer reads again. */
  readonly overlap: readonly Event[];
  /** The records of the branch that the new record replaces, oldest first. */
  readonly replaces: readonly ActiveCompaction[];
}

/**
 * True if a rule may apply. Reads the log backwards, only to the newest record, so the cost does not depend on the length of
 * the session.
 */
export function mayBeDue(log: EventLog, { interval, tokenThreshold = Infinity }: CompactionOptions): boolean {
  const invocations = new Set<string>();
  let coveredTo = 0;
  let estimate = 0;
  // Prompt tokens of the newest model call since the record. Prompts before the record were longer than the next one will be.
  let tokens: number | undefined;
  let hasRecord = false;
  for (const event of newestFirst(log)) {
    const record = event.actions.compaction && compactionOf(event);
    if (record) {
      coveredTo = Math.max(coveredTo, record.endSeq);
      hasRecord = true;
      continue;
    }
    if (event.seq !== undefined && event.seq <= coveredTo) break;
    if (!hasRecord) tokens ??= promptTokensOf(event);
    if (tokens === undefined) estimate += estimatePromptTokens(event);
    if (event.content) invocations.add(event.invocationId);
    if ((tokens ?? estimate) >= tokenThreshold || invocations.size >= (interval ?? Infinity)) return true;
    if (interval === undefined && tokens !== undefined) return false;
  }
  return false;
}

// The tokens of an answer of a tool are those of its child runs, so they are not used.
const promptTokensOf = (event: Event): number | undefined =>
  event.author === 'system' || getFunctionResponses(event).length > 0
    ? undefined
    : event.usageMetadata?.promptTokenCount;

/**
 * Returns the events to summarize, by branch. With `isForced`, the number of invocations and tokens is ignored. Never covers:
 *
 * - events of an invocation that may continue (`openInvocations`, `running`, `unfinished`),
 * - events without visible content, results of steps, logs of child runs,
 * - a call without its answer, or an answer without its call.
 */
export function planCompaction(
  stored: readonly Event[],
  options: CompactionOptions,
  p: { isForced: boolean; running?: string | undefined; unfinished?: string | null | undefined },
): CompactionWindow[] {
  const visible = applyRewinds(stored);
  const included = includeEvents(visible, undefined).filter((event) => !compactionOf(event));
  const active = activeCompactions(visible);
  const covered = new Set<string>(active.flatMap(({ ids }) => [...ids]));
  const open = openInvocations(visible);
  const raw = included.filter((event) => !covered.has(event.id));
  for (const active of [p.running, p.unfinished]) if (active) open.add(active);
  const closed = raw.filter((event) => !open.has(event.invocationId) && !isJournalEvent(event));
  const candidates = candidatesOf({ visible, raw, closed }, options, p.isForced);
  if (candidates.length === 0) return [];
  const byBranch = Map.groupBy(withoutSplitCalls(included, candidates), (event) => event.branch);
  return [...byBranch].map(([branch, events]) => ({
    branch,
    events,
    overlap: overlapOf(included, events, options.overlap ?? 0),
    replaces: active.filter(({ event }) => event.branch === branch),
  }));
}

/** Returns the events that the first applicable rule covers: the rule by tokens, then the rule by invocations. */
function candidatesOf(
  { visible, raw, closed }: { visible: readonly Event[]; raw: readonly Event[]; closed: readonly Event[] },
  { interval, tokenThreshold, eventRetention = 0 }: CompactionOptions,
  isForced: boolean,
): readonly Event[] {
  if (tokenThreshold !== undefined && (isForced || lastPromptTokens(visible, raw) >= tokenThreshold)) {
    const retained = new Set(raw.slice(raw.length - Math.min(eventRetention, raw.length)));
    const older = closed.filter((event) => !retained.has(event));
    if (older.length > 0) return older;
  }
  if (interval === undefined) return [];
  const invocations = new Set(closed.map((event) => event.invocationId));
  return isForced || invocations.size >= interval ? closed : [];
}

/**
 * Returns the prompt tokens of the newest model call since the newest record. Without such a call, estimates the tokens of the
 * events that no record covers.
 */
function lastPromptTokens(visible: readonly Event[], raw: readonly Event[]): number {
  for (let i = visible.length - 1; i >= 0 && !compactionOf(visible[i]!); i--) {
    const tokens = promptTokensOf(visible[i]!);
    if (tokens !== undefined) return tokens;
  }
  return raw.reduce((sum, event) => sum + estimatePromptTokens(event), 0);
}

/** Removes the events of a call if the candidates do not contain all its events, or if these are in different branches. */
function withoutSplitCalls(included: readonly Event[], candidates: readonly Event[]): readonly Event[] {
  const sides = new Map<string, Event[]>();
  for (const event of included) {
    for (const each of [...getFunctionCalls(event), ...getFunctionResponses(event)]) {
      const key = callKey(each);
      sides.set(key, [...(sides.get(key) ?? []), event]);
    }
  }
  let remaining = new Set(candidates);
  for (;;) {
    const isComplete = (event: Event): boolean =>
      [...getFunctionCalls(event), ...getFunctionResponses(event)].every((each) =>
        sides.get(callKey(each))!.every((other) => remaining.has(other) && other.branch === event.branch),
      );
    const complete = [...remaining].filter(isComplete);
    if (complete.length === remaining.size) return complete;
    remaining = new Set(complete);
  }
}

/** Returns the covered events of the last `count` invocations of the branch before these events. */
function overlapOf(included: readonly Event[], events: readonly Event[], count: number): readonly Event[] {
  if (count === 0) return [];
  const own = new Set(events.map((event) => event.invocationId));
  const first = included.indexOf(events[0]!);
  const earlier = included.slice(0, first).filter(({ branch }) => branch === events[0]!.branch);
  const invocations = new Set<string>();
  for (let i = earlier.length - 1; i >= 0 && invocations.size < count; i--) {
    const { invocationId } = earlier[i]!;
    if (!own.has(invocationId)) invocations.add(invocationId);
  }
  return earlier.filter((event) => invocations.has(event.invocationId));
}
