import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Content, Event, EventLog, Plugin } from '@thole/core';
import { SUMMARY_TITLE } from '../contents/apply-compactions.ts';
import { activeCompactions } from '../history/active-compactions.ts';
import { compactionOf } from '../history/compaction-of.ts';
import type { HookParams } from '../hooks/call-hooks.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';

/** Options of `ContextFilterPlugin`. The default of `name`, which errors contain, is `context_filter`. */
export interface ContextFilterPluginOptions {
  /** Number of newest invocations that prompts show, including the current one. At least 1. */
  keepInvocations: number;
  name?: string | undefined;
}

const names = optionNames<ContextFilterPluginOptions>({ keepInvocations: true, name: true });

const NOTE = '[Earlier messages of this conversation are left out here.]';

/**
 * Limits prompts to the newest invocations. An older invocation stays if a newer invocation answers one of its calls. Summaries of
 * a compaction stay. If the prompt leaves out messages that no summary covers, it contains a note. Stored events do not change.
 */
export class ContextFilterPlugin implements Plugin {
  readonly name: string;
  readonly #keepInvocations: number;
  /** Contexts whose current prompt needs the note. */
  readonly #contextsWithNote = new WeakSet<object>();

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: ContextFilterPluginOptions) {
    rejectUnknownOptions(options, names, 'ContextFilterPlugin');
    const { keepInvocations, name = 'context_filter' } = options;
    assertCount('keepInvocations', keepInvocations, 1);
    this.name = name;
    this.#keepInvocations = keepInvocations;
  }

  selectHistoryCallback({
    events,
    invocationContext,
  }: HookParams<'selectHistoryCallback'>): readonly Event[] | { fromSeq: number } | undefined {
    const kept = keptInvocations(events, this.#keepInvocations, invocationContext.invocationId);
    const shown: Event[] = [];
    const dropped: Event[] = [];
    for (const event of events) {
      if (compactionOf(event)) continue;
      (kept.has(event.invocationId) ? shown : dropped).push(event);
    }
    const { agent } = invocationContext;
    const showsHistory = isLlmAgent(agent) && agent.includeContents !== 'none';
    if (showsHistory && dropped.some(isUncovered(events))) this.#contextsWithNote.add(invocationContext);
    else this.#contextsWithNote.delete(invocationContext);
    if (dropped.length === 0) return undefined;
    const fromSeq = shown[0]?.seq;
    const newestDropped = dropped.at(-1)!.seq;
    // A rule instead of a list: then only new events are read for the next prompt.
    if (fromSeq !== undefined && newestDropped !== undefined && newestDropped < fromSeq) return { fromSeq };
    return shown;
  }

  beforeModelCallback({ callbackContext, llmRequest }: HookParams<'beforeModelCallback'>): void {
    if (!this.#contextsWithNote.has(callbackContext)) return;
    const { contents } = llmRequest;
    const at = contents.findIndex((content) => !isSummary(content));
    llmRequest.contents = contents.toSpliced(Math.max(at, 0), 0, { role: 'user', parts: [{ text: NOTE }] });
  }
}

/** Returns the newest invocations, and the older invocations whose calls they answer. */
function keptInvocations(events: EventLog, count: number, current: string): Set<string> {
  const kept = new Set([current]);
  for (let i = events.length - 1; i >= 0 && kept.size < count; i--) {
    const event = events.at(i)!;
    if (!compactionOf(event)) kept.add(event.invocationId);
  }
  const callers = new Map<string, string>();
  const answers: { id: string; invocationId: string }[] = [];
  for (const event of events) {
    for (const { id } of getFunctionCalls(event)) if (id !== undefined) callers.set(id, event.invocationId);
    for (const { id } of getFunctionResponses(event)) {
      const caller = id === undefined ? undefined : callers.get(id);
      if (caller !== undefined && caller !== event.invocationId)
        answers.push({ id: caller, invocationId: event.invocationId });
    }
  }
  // Repeats, because an added invocation may answer a call of a still older invocation.
  for (let before = 0; before < kept.size;) {
    before = kept.size;
    for (const { id, invocationId } of answers) if (kept.has(invocationId)) kept.add(id);
  }
  return kept;
}

function isUncovered(events: EventLog): (event: Event) => boolean {
  const covered = new Set(activeCompactions([...events]).flatMap(({ ids }) => [...ids]));
  return ({ id }) => !covered.has(id);
}

function isSummary({ role, parts }: Content): boolean {
  return role === 'user' && parts?.length === 1 && parts[0]!.text?.startsWith(SUMMARY_TITLE) === true;
}
