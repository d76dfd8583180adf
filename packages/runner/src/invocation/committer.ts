import { getFunctionResponses, StatePrefix, TholeError } from '@thole/core';
import { answerEventId, applyDelta, applyRewinds, canonicalJson, InterruptLog, rewindOf } from '@thole/core/kit';
import type { Event, Fence, Json, SessionMarks, StateMap } from '@thole/core';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { isUserMessage } from '../history/turn-segments.ts';
import { reportInterrupts } from '../hooks/notify-plugins.ts';
import { modelNameOf } from '../request/find-model.ts';
import { answeredFirst } from '../resume/check-answer.ts';
import { asJoined } from '../resume/join-run.ts';
import type { UnstoredChanges } from './pending-changes.ts';
import type { RunTask } from './run-task.ts';

/** Number of attempts for an append whose outcome is unknown. */
const MAX_ATTEMPTS = 4;
/** Pause before the second attempt. It doubles with each further attempt. */
const FIRST_PAUSE_MS = 50;

/** The lease under which events are stored: that of this run, or that of the run which it joins. */
export interface AppendCondition {
  readonly fence?: Fence | undefined;
  readonly ifHeldBy?: string | undefined;
}

/**
 * The only way into a session (contract 16): `onEventCallback` of plugins, `beforeStore` of the agent, `appendEvent`. Stores
 * one event after another.
 */
export class Committer {
  readonly #task: RunTask;
  readonly #condition: AppendCondition;
  readonly #fence: Fence | undefined;
  /** True if a plugin has `onEventCallback`. Plugins get partial events too. */
  readonly hasEventHook: boolean;
  #last: Promise<unknown> = Promise.resolve();
  #pending: number = 0;

  constructor(task: RunTask, condition: AppendCondition) {
    this.#task = task;
    this.#condition = condition;
    this.#fence = condition.fence;
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
  async settled(): Promise<void> {
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
      if (this.#condition.ifHeldBy !== undefined && isUserMessage(event)) event = asJoined(event);
      if (this.hasEventHook && !p?.withoutPlugins) {
        const changed = await this.callEventHook(event);
        if (!changed) return undefined;
        event = changed;
      }
      const agent = this.#task.agents.find(event.author);
      if (agent?.beforeStore) {
        event = { ...event, actions: { ...event.actions, stateDelta: { ...event.actions.stateDelta } } };
        agent.beforeStore(event);
      }
      let stored: Event;
      try {
        stored = await this.#append(event);
      } catch (error) {
        stored = await this.#appendAgain(event, error);
      }
      if (isLateAnswer(event, stored)) this.#task.lateAnswer ??= answeredFirst(stored);
      applyTempState(event, temp);
      if ((stored.seq ?? session.lastSeq + 1) === session.lastSeq + 1) {
        session.add(stored);
        this.#task.hasUncertainMarks = false;
      } else await this.readMissing();
      this.#isStored();
      if (stored.longRunningToolIds?.length) await reportInterrupts(this.#task, stored.longRunningToolIds);
      // An answer of a tool repeats the tokens of its child runs.
      const isCounted = stored.usageMetadata !== undefined && getFunctionResponses(stored).length === 0;
      if (isCounted) calls.addUsage(stored.usageMetadata!, () => modelNameOf(stored, this.#task));
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
    // With the incarnation: a session that was deleted and created again under this id is another session.
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
    // Also for a message that joins another run: that run may end before it stores anything.
    if (task.isMarked) return changed;
    return changed ? { unfinished: task.invocationId, ...changed } : { unfinished: task.invocationId };
  }

  #isStored(): void {
    const task = this.#task;
    task.eventStored();
    if (!task.isResumable || this.#fence === undefined) return;
    task.isMarked = true;
    task.session.unfinished = task.invocationId;
  }

  // The store keeps the first event of an id. So a repeated append shows the outcome of the first one.
  async #appendAgain(event: Event, failure: unknown): Promise<Event> {
    const { runtime } = this.#task.runner;
    let unknown: unknown;
    for (let attempt = 1; ; attempt++) {
      if (TholeError.is(failure, 'STORE_OUTCOME_UNKNOWN')) unknown = failure;
      // If the store cannot be reached, the outcome of an earlier attempt stays unknown.
      else if (unknown === undefined || !TholeError.is(failure, 'STORE_UNAVAILABLE')) throw toStoreError(failure);
      if (attempt === MAX_ATTEMPTS) throw unknown;
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
    // Each writer has computed the marks without the events of the other.
    this.#task.hasUncertainMarks = true;
    const newer = await sessionAccess.service.getSession({ ...session.ref, afterSeq: session.lastSeq });
    if (!newer || newer.incarnation !== session.incarnation) {
      throw new TholeError('SESSION_NOT_FOUND', `Session "${session.ref.sessionId}" was deleted during a run.`);
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

/** Returns the error of a session service: a `TholeError` unchanged, any other error as the cause of `STORE_UNAVAILABLE`. */
export function toStoreError(error: unknown): TholeError {
  if (TholeError.is(error)) return error;
  const message = 'The session service threw an error that is not a TholeError. The original error is the cause.';
  return new TholeError('STORE_UNAVAILABLE', message, { cause: error });
}

/** True if the store contained another answer to the interrupt: it keeps the first event of an id. */
function isLateAnswer(event: Event, stored: Event): boolean {
  if (event.author !== 'user' || !event.id.endsWith(answerEventId(''))) return false;
  return canonicalJson(answerOf(event)) !== canonicalJson(answerOf(stored));
}

function answerOf({ author, content, customMetadata }: Event): Json {
  return [author, (content ?? null) as Json, customMetadata?.['answeredBy'] ?? null];
}

function withMetadata(event: Event, customMetadata: Event['customMetadata']): Event {
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
