import { createEvent, textOf, TholeError } from '@thole/core';
import type { MemoryService, SessionRef } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { IdleConsolidator, memoryCommands } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/servers/long.ts';
import { ann, bob, texts } from '../support/conversations.ts';

const minute = 60_000;
const STEPS = 200;

/**
 * Several processes over the same stores: they run turns, sweep, close and start again. Sessions are deleted with their memory, and
 * memory fails at times.
 */
class Simulation {
  readonly runtime: FixedRuntime;
  readonly sessions: InMemorySessionService;
  readonly inner: InMemoryMemoryService;
  /** Texts that must be kept, with their sessions. */
  readonly texts = new Map<string, SessionRef>();
  /** Texts that must be gone. */
  readonly deleted = new Set<string>();
  readonly processes: IdleConsolidator[] = [];
  readonly #keep: boolean;
  fails = false;
  /** Sessions that were read and are being added to memory. */
  readonly inProgress = new Set<SessionRef>();

  constructor(seed: number, keep: boolean) {
    this.runtime = new FixedRuntime({ seed });
    this.sessions = new InMemorySessionService({ runtime: this.runtime });
    this.inner = new InMemoryMemoryService({ runtime: this.runtime });
    this.#keep = keep;
    for (let i = 0; i < 3; i++) this.processes.push(this.startProcess());
  }

  below = (count: number): number => Math.floor(this.runtime.random() * count);
  pick = <T>(...from: readonly T[]): T => from[this.below(from.length)]!;

  startProcess(): IdleConsolidator {
    const { sessions, inner, runtime } = this;
    const memory: MemoryService = {
      searchMemory: (p) => inner.searchMemory(p),
      addSessionToMemory: async (session, call) => {
        const ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
        this.inProgress.add(ref);
        await runtime.sleep(this.below(240_000));
        this.inProgress.delete(ref);
        if (this.fails && this.below(2)) throw new TholeError('STORE_UNAVAILABLE', 'gone');
        await inner.addSessionToMemory(session, call);
        await runtime.sleep(this.below(240_000));
        if (this.fails && this.below(2)) throw new TholeError('MODEL_OVERLOADED', 'busy');
      },
    };
    const options = { idleMs: 10 * minute, retryMs: minute, keep: this.#keep };
    return new IdleConsolidator({ sessions, memory, runtime, ...options });
  }

  /** Runs a turn: takes the session's lease and stores a message and an answer. */
  async runTurn(ref: SessionRef, id: number): Promise<void> {
    const { sessions, runtime } = this;
    const lease = await sessions.leasing!.lease(ref, {
      ...{ invocationId: `run-${id}`, holder: 'runner', policy: 'queue' as const },
      ...{ waitMs: 60 * minute, maxWaiting: 100, ttlMs: 1e9, cleanupMs: 0 },
    });
    try {
      await runtime.sleep(this.below(1_000));
      if (!(await sessions.getSession(ref))) await sessions.createSession(ref);
      for (const author of ['user', 'agent']) {
        const text = `${author} ${id}`;
        const event = createEvent({ author, content: { parts: [{ text }] } }, runtime);
        await sessions.appendEvent({ session: ref, event });
        this.texts.set(text, ref);
        await runtime.sleep(this.below(5_000));
      }
    } finally {
      await lease.release();
    }
    this.pick(...this.processes).schedule(ref);
  }

  /** Deletes a session with its memory. Its texts must be gone, except those of a new session with the same id. */
  async deleteSession(ref: SessionRef): Promise<void> {
    const { sessions: sessionService, inner: memoryService, runtime } = this;
    const agent = new LlmAgent({ name: 'agent', model: new ScriptedLlm() });
    const runner = new Runner({ appName: ref.appName, agent, sessionService, memoryService, runtime });
    await runner.deleteSession({ ...ref, memory: true });
    const { inSessions } = await this.stored(ref);
    for (const [text, { userId, sessionId }] of this.texts) {
      if (userId !== ref.userId || sessionId !== ref.sessionId || inSessions.includes(text)) continue;
      this.texts.delete(text);
      this.deleted.add(text);
    }
  }

  /** Returns the texts of a user in sessions and in memory. */
  async stored({ appName, userId }: typeof ann): Promise<{ inSessions: string[]; inMemory: string[] }> {
    const user = { appName, userId };
    const inSessions: string[] = [];
    for (const { id: sessionId } of (await this.sessions.listSessions(user)).sessions) {
      const { events } = (await this.sessions.getSession({ ...user, sessionId }))!;
      inSessions.push(...events.map(({ content }) => textOf(content)).filter((text) => text !== ''));
    }
    const { memories } = await this.inner.listMemories({ ...user, limit: 10_000 });
    return { inSessions, inMemory: texts(memories) };
  }
}

describe('IdleConsolidator', () => {
  it.each(Array.from({ length: rounds(2, 6) }, (_, i) => i + 1).map((seed) => [seed, seed % 2 === 0] as const))(
    'loses, duplicates and restores no text in random sequences (seed %i, keep: %s)',
    async (seed, keep) => {
      const simulation = new Simulation(seed, keep);
      const running: Promise<unknown>[] = [];
      const start = (work: Promise<unknown>): void => {
        running.push(work.catch((error: unknown) => error));
      };
      for (let step = 0; step < STEPS; step++) {
        const user = simulation.pick(ann, bob);
        const ref = { ...user, sessionId: simulation.pick('s1', 's1', 's2') };
        const [i, action] = [simulation.below(simulation.processes.length), simulation.below(13)];
        if (action < 5) start(simulation.runTurn(ref, step));
        else if (action < 7) start(simulation.processes[i]!.sweep({ appName: user.appName }));
        else if (action < 8) start(simulation.processes[i]!.consolidate(ref));
        else if (action < 9) {
          const { sessions, runtime, inner: memory } = simulation;
          start(
            memoryCommands({ sessions, memory, runtime, consolidator: simulation.processes[i]! }).handle('/reset', ref),
          );
        } else if (action < 10) {
          start(simulation.processes[i]!.close());
          simulation.processes[i] = simulation.startProcess();
        } else if (action < 11) start(simulation.deleteSession(simulation.pick(ref, ...simulation.inProgress)));
        else simulation.fails = simulation.pick(true, false);
        await simulation.runtime.advance(simulation.pick(0, 0, 500, 20_000, minute, 5 * minute, 15 * minute));
        for (const each of [ann, bob]) {
          const { inSessions, inMemory } = await simulation.stored(each);
          const missing = [...simulation.texts].filter(
            ([text, by]) => by.userId === each.userId && !inSessions.includes(text) && !inMemory.includes(text),
          );
          expect(missing, `step ${step}`).toEqual([]);
          expect(new Set(inMemory).size, `step ${step}`).toBe(inMemory.length);
          expect(
            inMemory.filter((text) => simulation.deleted.has(text)),
            `step ${step}`,
          ).toEqual([]);
        }
      }
      simulation.fails = false;
      await simulation.runtime.advance(24 * 60 * minute);
      start(simulation.processes[0]!.sweep({ appName: ann.appName }));
      await simulation.runtime.advance(24 * 60 * minute);
      await Promise.all(running);
      expect(simulation.texts.size + simulation.deleted.size).toBeGreaterThan(STEPS / 3);
      expect(simulation.deleted.size).toBeGreaterThan(5);
      for (const each of [ann, bob]) {
        const { inSessions, inMemory } = await simulation.stored(each);
        const all = [...simulation.texts].flatMap(([text, { userId }]) => (userId === each.userId ? text : []));
        expect(inMemory.toSorted()).toEqual(all.toSorted());
        if (!keep) expect(inSessions).toEqual([]);
      }
      expect(simulation.runtime.pending).toBe(0);
    },
  );
});
