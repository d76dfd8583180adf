import { getFunctionCalls } from '@thole/core';
import type { Event } from '@thole/core';

/** The outside of simulated processes, which outlives them: effects of tools, and what the store has received. */
export class SimulatedWorld {
  /** Number of effects of each call, by user and call. */
  readonly effects: Map<string, number> = new Map();
  /** Number of times each model was asked for each of its answers, by user, agent and answer. */
  readonly asked: Map<string, number> = new Map();
  /** Events that the store has acknowledged, by user. Each session of a simulation has its own user. */
  readonly acknowledged: Map<string, Event[]> = new Map();
  /** Promises that were broken, as sentences. */
  readonly violations: string[] = [];
  /** True if a process may have worked without its lease: its work may then be repeated in another process. */
  hasStalled = false;
  readonly #keys: Set<string> = new Set();
  readonly #stored: Set<string> = new Set();
  /** Names of the events with an answer of a model that are stored. */
  readonly #committed: Set<string> = new Set();

  /** Called when a tool takes effect. */
  takeEffect(userId: string, callId: string, idempotencyKey: string): void {
    const call = `${userId} ${callId}`;
    increment(this.effects, call);
    if (this.effects.get(call)! > 1 && !this.#keys.has(idempotencyKey))
      this.violations.push(`${callId} ran again with another idempotencyKey.`);
    this.#keys.add(idempotencyKey);
  }

  /** Adds an effect of an earlier process, of which this world has only the key. */
  addEarlierEffect(idempotencyKey: string): void {
    this.#keys.add(idempotencyKey);
  }

  /** Keys of the calls that have taken effect. */
  get keys(): ReadonlySet<string> {
    return this.#keys;
  }

  /** True if a call with this key has taken effect. */
  hasEffect(idempotencyKey: string): boolean {
    return this.#keys.has(idempotencyKey);
  }

  /** Called when a model is asked for its n-th answer to a user. */
  ask(userId: string, agent: string, n: number): void {
    const name = `${userId} ${agent} ${n}`;
    increment(this.asked, name);
    if (this.#committed.has(name) && !this.hasStalled)
      this.violations.push(`The model of ${agent} was asked again for its answer ${n}.`);
  }

  /** Called when an event is stored, also if the acknowledgement is lost. */
  store(userId: string, event: Event): void {
    const { author, content, id } = event;
    // An append is repeated if its outcome is unknown.
    if (this.#stored.has(id)) return;
    this.#stored.add(id);
    if (content?.role !== 'model' || event.partial) return;
    if (getFunctionCalls(event).some(({ name }) => name.startsWith('adk_') || name.startsWith('thole_'))) return;
    for (let n = 0; ; n++) {
      const name = `${userId} ${author} ${n}`;
      if (this.#committed.has(name)) continue;
      this.#committed.add(name);
      return;
    }
  }

  /** Called when a process learns that its event is stored. */
  acknowledge(userId: string, event: Event): void {
    const events = this.acknowledged.get(userId) ?? [];
    events.push(event);
    this.acknowledged.set(userId, events);
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
