import { StatePrefix, TholeError } from '@thole/core';
import { applyDelta } from '@thole/core/kit';
import type { Agent, Event, Fence, InvocationContext, RunConfig, StateMap } from '@thole/core';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import type { LiveSession } from '../session/live-session.ts';
import { toStoreError } from './run-errors.ts';
import type { RunHost } from '../runner/runner-deps.ts';
import type { UnstoredChanges } from '../contexts/pending-changes.ts';

/** The run whose events are committed. */
export interface Committing {
  readonly host: RunHost;
  readonly live: LiveSession;
  readonly runConfig: RunConfig;
  /** Where the invocation keeps `temp:` values; those of stored events go there. */
  readonly temp: StateMap;
  readonly root: InvocationContext;
  /** Changes that events under way have taken. */
  readonly unstored: UnstoredChanges;
  /** Whose event it is. */
  agentNamed(author: string): Agent | undefined;
}

/** How often an append whose outcome is unknown is tried again, and how long it waits before the first. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 50;

/** The one way into a session (contract 16): plugins' `onEventCallback` → the agent's `beforeStore` → `appendEvent`, one event after another. */
export class Committer {
  readonly #run: Committing;
  readonly #fence: Fence | undefined;
  readonly #listened: boolean;
  #tail: Promise<unknown> = Promise.resolve();
  #underWay: number = 0;

  constructor(run: Committing, fence: Fence | undefined) {
    this.#run = run;
    this.#fence = fence;
    this.#listened = hasHook(run.host.plugins, 'onEventCallback');
  }

  /** Whether a plugin wants to see events, partials too. */
  get listened(): boolean {
    return this.#listened;
  }

  /** The stored event; undefined when a plugin dropped it. With `unheard` plugins are passed by. */
  commit(event: Event, p?: { unheard: boolean }): Promise<Event | undefined> {
    if (this.#underWay++ === 0) return (this.#tail = this.#commit(event, p));
    const commit = (): Promise<Event | undefined> => this.#commit(event, p);
    return (this.#tail = this.#tail.then(commit, commit));
  }

  /** Whether an append is under way. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** Resolves when no append is under way. */
  async settled(): Promise<void> {
    while (this.isBusy) await this.#tail.catch(noop);
  }

  /** A plugin's view of an event that is shown but not stored. */
  async hear(event: Event): Promise<Event | undefined> {
    if (!this.#listened) return event;
    const { host, root } = this.#run;
    const answer = await callPlugins(host.plugins, 'onEventCallback', { invocationContext: root, event });
    return answer === null ? undefined : (answer ?? event);
  }

  async #commit(given: Event, p?: { unheard: boolean }): Promise<Event | undefined> {
    try {
      const { live, temp } = this.#run;
      const { customMetadata } = this.#run.runConfig;
      let event = customMetadata ? { ...given, customMetadata: { ...customMetadata, ...given.customMetadata } } : given;
      if (this.#listened && !p?.unheard) {
        const heard = await this.hear(event);
        if (!heard) return undefined;
        event = heard;
      }
      const agent = this.#run.agentNamed(event.author);
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
      keepTemp(event, temp);
      if ((stored.seq ?? live.lastSeq + 1) !== live.lastSeq + 1) await this.#readGap();
      else live.add(stored);
      if (stored.usageMetadata) this.#run.host.calls.addUsage(stored.usageMetadata);
      return stored;
    } finally {
      this.#underWay--;
      const { unstored } = this.#run;
      if (unstored.size > 0) settle(unstored, given.id);
    }
  }

  #append(event: Event): Promise<Event> {
    const { host, live } = this.#run;
    const fence = this.#fence;
    // The session that this run opened, not one that was created later under its id.
    const { ref: session, incarnation } = live;
    return host.session.service.appendEvent({ session, event, incarnation, fence });
  }

  // Appending the same id again is how to learn what became of an append that was not answered.
  async #appendAgain(event: Event, failure: unknown): Promise<Event> {
    const { runtime } = this.#run.host;
    let unknown: unknown;
    for (let attempt = 1; ; attempt++) {
      if (TholeError.is(failure, 'STORE_OUTCOME_UNKNOWN')) unknown = failure;
      // A store that cannot be asked leaves open what became of the attempt before.
      else if (unknown === undefined || !TholeError.is(failure, 'STORE_UNAVAILABLE')) throw toStoreError(failure);
      if (attempt === ATTEMPTS) throw unknown;
      await runtime.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + runtime.random()));
      try {
        return await this.#append(event);
      } catch (error) {
        failure = error;
      }
    }
  }

  // Somebody else wrote in between; what they wrote, and the own event, are read in order.
  async #readGap(): Promise<void> {
    const { host, live } = this.#run;
    const read = await host.session.service.getSession({ ...live.ref, afterSeq: live.lastSeq });
    if (!read || read.incarnation !== live.incarnation) {
      throw new TholeError('SESSION_NOT_FOUND', `Session ${live.ref.sessionId} was deleted while a run was going on.`);
    }
    live.catchUp(read, undefined);
  }
}

function keepTemp({ actions: { stateDelta } }: Event, temp: StateMap): void {
  for (const key in stateDelta) if (key.startsWith(StatePrefix.TEMP)) applyDelta(temp, { [key]: stateDelta[key]! });
}

function settle(unstored: UnstoredChanges, eventId: string): void {
  for (const taken of unstored.get(eventId) ?? []) taken.settle();
  unstored.delete(eventId);
}

function noop(): void {}
