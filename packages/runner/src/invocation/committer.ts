import { getFunctionResponses, StatePrefix, TholeError } from '@thole/core';
import { answerEventId, applyDelta, applyRewinds, canonicalJson, InterruptLog, rewindOf } from '@thole/core/kit';
import type { Event, Fence, Json, SessionMarks, StateMap } from '@thole/core';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { isUserMessage } from '../history/turn-segments.ts';
import { reportInterrupts } from '../hooks/notify-plugins.ts';
import { modelNameOf } from '../request/find-model.ts';
import { lateAnswerError } from '../resume/check-answer.ts';
import { markAsJoined } from '../resume/join-run.ts';
import { sessionDeleted } from '../session/session-cache.ts';
import type { UnstoredChanges } from './pending-changes.ts';
import type { RunTask } from './run-task.ts';

/** Number of attempts for an append whose outcome is unknown. */
const MAX_ATTEMPTS = 4;
/** Pause before the second attempt, in milliseconds. It doubles with each further attempt. */
const FIRST_PAUSE_MS = 50;

/** The lease under which events are stored: `fence` for this run's lease, `ifHeldBy` for the lease of the run that it joins. */
export interface AppendCondition {
  readonly fence?: Fence | undefined;
  readonly ifHeldBy?: string | undefined;
}

/**
 * Stores the events of a run, one after another. All events pass through it (contract 16): it calls `onEventCallback` of plugins,
 * `beforeStore` of the agent, then `appendEvent`.
 */
export class Committer {
  readonly #task: RunTask;
  readonly #condition: AppendCondition;
  /** True if a plugin has `onEventCallback`. Plugins also receive partial events. */
  readonly hasEventHook: boolean;
  #last: Promise<unknown> = Promise.resolve();
  #pending: number = 0;

  constructor(task: RunTask, condition: AppendCondition) {
    this.#task = task;
    this.#condition = condition;
    this.hasEventHook = hasHook(task.runner.plugins, 'onEventCallback');
  }

  /** True while events are being stored. */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /** Returns the stored event, or undefined if a plugin dropped it. `withoutPlugins` calls no plugin. */
  commit(event: Event, p?: { withoutPlugins: boolean }): Promise<Event | undefined> {
    if (this.#pending++ === 0) return (this.#last = this.#commit(event, p));
    const commit = (): Promise<Event | undefined> => this.#commit(event, p);
    return (this.#last = this.#last.then(commit, commit));
  }

  /** Resolves when no event is being stored. */
  async whenIdle(): Promise<void> {
    while (this.isBusy) await this.#last.catch(noop);
  }

  /** Returns the event as plugins change it, or undefined if a plugin drops it. */
  async callEventHook(event: Event): Promise<Event | undefined> {
    if (!this.hasEventHook) return event;
    const invocationContext = this.#task.opened!.rootContext;
    const answer = await callPlugins(this.#task.runner.plugins, 'onEventCallback', { invocationContext, event });
    return answer === null ? undefined : (answer ?? event);
  }

  async #commit(original: Event, p?: { withoutPlugins: boolean }): Promise<Event | undefined> {
    const { calls, runConfig, session, temp } = this.#task;
    try {
      let event = withMetadata(original, runConfig.customMetadata);
      if (this.#condition.ifHeldBy !== undefined && isUserMessage(event)) event = markAsJoined(event);
      if (this.hasEventHook && !p?.withoutPlugins) {
        const changed = await this.callEventHook(event);
        if (!changed) return undefined;
        event = changed;
      }
      const agent = this.#task.agents.find(event.author);
      if (agent?.beforeStore && !this.#task.additions?.has(original.id)) {
        event = { ...event, actions: { ...event.actions, stateDelta: { ...event.actions.stateDelta } } };
        agent.beforeStore(event);
      }
      let stored: Event;
      try {
        stored = await this.#append(event);
      } catch (error) {
        stored = await this.#appendAgain(event, error);
      }
      if (isLateAnswer(event, stored)) this.#task.errorAtEnd ??= lateAnswerError(stored);
      applyTempState(event, temp);
      if ((stored.seq ?? session.lastSeq + 1) === session.lastSeq + 1) {
        session.add(stored);
        this.#task.hasUncertainMarks = false;
      } else await this.readMissing();
      this.#markStored();
      if (stored.longRunningToolIds?.length) await reportInterrupts(this.#task, stored.longRunningToolIds);
      // The tokens of an answer of a tool are those of its child runs, which are counted already.
      const isCounted = stored.usageMetadata !== undefined && getFunctionResponses(stored).length === 0;
      if (isCounted) calls.addUsage(stored.id, stored.usageMetadata!, () => modelNameOf(stored, this.#task));
      return stored;
    } finally {
      this.#pending--;
      const { unstored } = this.#task;
      if (unstored) settleChanges(unstored, original.id);
    }
  }

  #append(event: Event): Promise<Event> {
    const { session: live, sessionAccess } = this.#task;
    const marks = this.#marksAfter(event);
    // The incarnation identifies the session: it may have been deleted and created again with the same id.
    const { ref: session, incarnation } = live;
    const { fence, ifHeldBy } = this.#condition;
    return sessionAccess.service.appendEvent({ session, event, incarnation, fence, ifHeldBy, marks });
  }

  /** Returns the marks of the session that change with this event. */
  #marksAfter(event: Event): Partial<SessionMarks> | undefined {
    const task = this.#task;
    const { fence, ifHeldBy } = this.#condition;
    if (!task.isResumable || (fence === undefined && ifHeldBy === undefined)) return undefined;
    const changed =
      rewindOf(event) === undefined
        ? (task.interrupts.marksAfter(event) ?? (task.hasUncertainMarks ? task.interrupts.marks : undefined))
        : marksAfterRewind(task.session.log, event);
    // A message that joins another run also sets the mark, because that run may end before it stores anything.
    if (task.isMarked) return changed;
    return changed ? { unfinished: task.invocationId, ...changed } : { unfinished: task.invocationId };
  }

  #markStored(): void {
    const task = this.#task;
    task.handleStoredEvent();
    if (!task.isResumable || this.#condition.fence === undefined) return;
    task.isMarked = true;
    task.session.unfinished = task.invocationId;
  }

  // The store keeps the first event with an id, so a repeated append returns the outcome of the first one.
  async #appendAgain(event: Event, failure: unknown): Promise<Event> {
    const { runtime } = this.#task.runner;
    let unknownOutcome: unknown;
    for (let attempt = 1; ; attempt++) {
      if (TholeError.is(failure, 'STORE_OUTCOME_UNKNOWN')) unknownOutcome = failure;
      // If the store cannot be reached, the outcome of an earlier attempt stays unknown.
      else if (unknownOutcome === undefined || !TholeError.is(failure, 'STORE_UNAVAILABLE'))
        throw toStoreError(failure);
      if (attempt === MAX_ATTEMPTS) throw unknownOutcome;
      await runtime.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + runtime.random()));
      try {
        return await this.#append(event);
      } catch (error) {
        failure = error;
      }
    }
  }

  /** Reads the events that other writers have stored, in order. */
  async readMissing(): Promise<void> {
    const { session, sessionAccess } = this.#task;
    // Each writer has computed the marks without the events of the other writer.
    this.#task.hasUncertainMarks = true;
    const newer = await sessionAccess.service.getSession({ ...session.ref, afterSeq: session.lastSeq });
    if (!newer || newer.incarnation !== session.incarnation) {
      throw sessionDeleted(session.ref);
    }
    for (const event of newer.events)
      if (event.author === 'user' && event.invocationId === this.#task.invocationId) this.#task.joined.add(event);
    session.catchUp(newer, undefined);
  }
}

/** Returns the marks of a session without the interrupts that this marker removes. */
function marksAfterRewind(log: Iterable<Event>, marker: Event): Partial<SessionMarks> {
  const interrupts = new InterruptLog();
  for (const event of applyRewinds([...log, marker])) interrupts.add(event);
  return interrupts.marks;
}

/** Returns a `TholeError` unchanged, and any other error as the cause of `STORE_UNAVAILABLE`. */
export function toStoreError(error: unknown): TholeError {
  if (TholeError.is(error)) return error;
  const message = 'The session service threw an error that is not a TholeError. The original error is the cause.';
  return new TholeError('STORE_UNAVAILABLE', message, { cause: error });
}

/** True if the store already contained another answer to the interrupt. It keeps the first event with an id. */
function isLateAnswer(event: Event, stored: Event): boolean {
  if (event.author !== 'user' || !event.id.endsWith(answerEventId(''))) return false;
  return canonicalJson(answerOf(event)) !== canonicalJson(answerOf(stored));
}

function answerOf({ author, content, customMetadata }: Event): Json {
  return [author, (content ?? null) as Json, customMetadata?.['answeredBy'] ?? null];
}

/** Returns the event with the metadata of the run. The event's own metadata wins. */
export function withMetadata(event: Event, customMetadata: Event['customMetadata']): Event {
  return customMetadata ? { ...event, customMetadata: { ...customMetadata, ...event.customMetadata } } : event;
}

function applyTempState({ actions: { stateDelta } }: Event, temp: StateMap): void {
  for (const key in stateDelta) if (key.startsWith(StatePrefix.TEMP)) applyDelta(temp, { [key]: stateDelta[key]! });
}

function settleChanges(unstored: UnstoredChanges, eventId: string): void {
  for (const changes of unstored.get(eventId) ?? []) changes.settle();
  unstored.delete(eventId);
}

function noop(): void {}
