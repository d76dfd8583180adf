import { getFunctionCalls } from '@thole/core';
import type { Event } from '@thole/core';

/** The environment of simulated processes, which outlives them: effects of tools, and events that the store received. */
export class SimulatedWorld {
  /** Number of effects of each call, by user and call. */
  readonly effects: Map<string, number> = new Map();
  /** Number of requests to a model for each of its answers, by user, agent and answer. */
  readonly asked: Map<string, number> = new Map();
  /** Events that the store has acknowledged, by user. Each session of a simulation has its own user. */
  readonly acknowledged: Map<string, Event[]> = new Map();
  /** Broken promises, as sentences. */
  readonly violations: string[] = [];
  /** True if a process may have worked without its lease: its work may then be repeated in another process. */
  hasStalled = false;
  readonly #keys: Set<string> = new Set();
  readonly #stored: Set<string> = new Set();
  /** Stored answers of models, as user, agent and number of the answer. */
  readonly #committed: Set<string> = new Set();

  /** Records an effect of a tool. */
  takeEffect(userId: string, callId: string, idempotencyKey: string): void {
    const call = `${userId} ${callId}`;
    increment(this.effects, call);
    if (this.effects.get(call)! > 1 && !this.#keys.has(idempotencyKey))
      this.violations.push(`${callId} ran again with another idempotencyKey.`);
    this.#keys.add(idempotencyKey);
  }

  /** Adds the key of an effect that an earlier process has caused. */
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

  /** Records a request to a model for its n-th answer to a user. */
  ask(userId: string, agent: string, n: number): void {
    const name = `${userId} ${agent} ${n}`;
    increment(this.asked, name);
    if (this.#committed.has(name) && !this.hasStalled)
      this.violations.push(`The model of ${agent} was called again for its answer ${n}.`);
  }

  /** Records a stored event, also if the acknowledgement is lost. */
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

  /** Records an event whose storage was acknowledged to its process. */
  acknowledge(userId: string, event: Event): void {
    const events = this.acknowledged.get(userId) ?? [];
    events.push(event);
    this.acknowledged.set(userId, events);
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
