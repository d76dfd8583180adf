import { createEvent, textOf, TholeError } from '@thole/core';
import type { MemoryService, SessionRef } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { IdleConsolidator, memoryCommands } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime, ScriptedLlm } from '@thole/testing';
import { expect, it } from 'vitest';
import { ann, bob, texts } from '../support/talks.ts';

const minute = 60_000;
const STEPS = 200;

/**
 * Some processes over the same stores: they speak, go quiet, sweep, are closed and begin anew, sessions are deleted with their
 * memory, and memory fails now and then.
 */
class Days {
  readonly runtime: FixedRuntime;
  readonly sessions: InMemorySessionService;
  readonly inner: InMemoryMemoryService;
  /** What is to be kept, and where it was said. */
  readonly said = new Map<string, SessionRef>();
  /** What is to be kept no more. */
  readonly forgotten = new Set<string>();
  readonly processes: IdleConsolidator[] = [];
  readonly #keep: boolean;
  fails = false;
  /** What was read, and is on its way into memory. */
  readonly onItsWay = new Set<SessionRef>();

  constructor(seed: number, keep: boolean) {
    this.runtime = new FixedRuntime({ seed });
    this.sessions = new InMemorySessionService({ runtime: this.runtime });
    this.inner = new InMemoryMemoryService({ runtime: this.runtime });
    this.#keep = keep;
    for (let i = 0; i < 3; i++) this.processes.push(this.begin());
  }

  below = (count: number): number => Math.floor(this.runtime.random() * count);
  of = <T>(...from: readonly T[]): T => from[this.below(from.length)]!;

  begin(): IdleConsolidator {
    const { sessions, inner, runtime } = this;
    const memory: MemoryService = {
      searchMemory: (p) => inner.searchMemory(p),
      addSessionToMemory: async (session, call) => {
        const ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
        this.onItsWay.add(ref);
        await runtime.sleep(this.below(240_000));
        this.onItsWay.delete(ref);
        if (this.fails && this.below(2)) throw new TholeError('STORE_UNAVAILABLE', 'gone');
        await inner.addSessionToMemory(session, call);
        await runtime.sleep(this.below(240_000));
        if (this.fails && this.below(2)) throw new TholeError('MODEL_OVERLOADED', 'busy');
      },
    };
    const options = { idleMs: 10 * minute, retryMs: minute, keep: this.#keep };
    return new IdleConsolidator({ sessions, memory, runtime, ...options });
  }

  /** A turn: the session's lease, a message, a while, an answer. */
  async speak(ref: SessionRef, id: number): Promise<void> {
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
        this.said.set(text, ref);
        await runtime.sleep(this.below(5_000));
      }
    } finally {
      await lease.release();
    }
    this.of(...this.processes).schedule(ref);
  }

  /** Deletes a session with its memory: what was said there is gone, but for what begins another session of its name. */
  async forget(ref: SessionRef): Promise<void> {
    const { sessions: sessionService, inner: memoryService, runtime } = this;
    const agent = new LlmAgent({ name: 'agent', model: new ScriptedLlm() });
    const runner = new Runner({ appName: ref.appName, agent, sessionService, memoryService, runtime });
    await runner.deleteSession({ ...ref, memory: true });
    const { open } = await this.kept(ref);
    for (const [text, { userId, sessionId }] of this.said) {
      if (userId !== ref.userId || sessionId !== ref.sessionId || open.includes(text)) continue;
      this.said.delete(text);
      this.forgotten.add(text);
    }
  }

  /** What of a user stands in sessions, and what in memory. */
  async kept({ appName, userId }: typeof ann): Promise<{ open: string[]; remembered: string[] }> {
    const user = { appName, userId };
    const open: string[] = [];
    for (const { id: sessionId } of (await this.sessions.listSessions(user)).sessions) {
      const { events } = (await this.sessions.getSession({ ...user, sessionId }))!;
      open.push(...events.map(({ content }) => textOf(content)).filter((text) => text !== ''));
    }
    const { memories } = await this.inner.listMemories({ ...user, limit: 10_000 });
    return { open, remembered: texts(memories) };
  }
}

it.each([1, 2, 3, 4, 5, 6].map((seed) => [seed, seed % 2 === 0] as const))(
  'nothing that was said is lost, doubled or left behind, and nothing that was deleted comes back, whatever happens when (seed %i, keep: %s)',
  async (seed, keep) => {
    const days = new Days(seed, keep);
    const under: Promise<unknown>[] = [];
    const begin = (work: Promise<unknown>): void => {
      under.push(work.catch((error: unknown) => error));
    };
    for (let step = 0; step < STEPS; step++) {
      const user = days.of(ann, bob);
      const ref = { ...user, sessionId: days.of('s1', 's1', 's2') };
      const [i, doing] = [days.below(days.processes.length), days.below(13)];
      if (doing < 5) begin(days.speak(ref, step));
      else if (doing < 7) begin(days.processes[i]!.sweep({ appName: user.appName }));
      else if (doing < 8) begin(days.processes[i]!.consolidate(ref));
      else if (doing < 9) {
        const { sessions, runtime, inner: memory } = days;
        begin(memoryCommands({ sessions, memory, runtime, consolidator: days.processes[i]! }).handle('/reset', ref));
      } else if (doing < 10) {
        begin(days.processes[i]!.close());
        days.processes[i] = days.begin();
      } else if (doing < 11) begin(days.forget(days.of(ref, ...days.onItsWay)));
      else days.fails = days.of(true, false);
      await days.runtime.advance(days.of(0, 0, 500, 20_000, minute, 5 * minute, 15 * minute));
      for (const each of [ann, bob]) {
        const { open, remembered } = await days.kept(each);
        const lost = [...days.said].filter(
          ([text, by]) => by.userId === each.userId && !open.includes(text) && !remembered.includes(text),
        );
        expect(lost, `step ${step}`).toEqual([]);
        expect(new Set(remembered).size, `step ${step}`).toBe(remembered.length);
        expect(
          remembered.filter((text) => days.forgotten.has(text)),
          `step ${step}`,
        ).toEqual([]);
      }
    }
    days.fails = false;
    await days.runtime.advance(24 * 60 * minute);
    begin(days.processes[0]!.sweep({ appName: ann.appName }));
    await days.runtime.advance(24 * 60 * minute);
    await Promise.all(under);
    expect(days.said.size + days.forgotten.size).toBeGreaterThan(STEPS / 3);
    expect(days.forgotten.size).toBeGreaterThan(5);
    for (const each of [ann, bob]) {
      const { open, remembered } = await days.kept(each);
      const all = [...days.said].flatMap(([text, { userId }]) => (userId === each.userId ? text : []));
      expect(remembered.toSorted()).toEqual(all.toSorted());
      if (!keep) expect(open).toEqual([]);
    }
    expect(days.runtime.pending).toBe(0);
  },
);
