import { createEvent } from '@thole/core';
import type { Interrupt, Plugin, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';
import { createSetup as createAgentSetup, saying } from '../support/setup.ts';

interface Read {
  interrupts: Interrupt[];
  /** Number of events of each read. */
  reads: number[];
}

/** Creates a session with other events, a request, other events, a second request, and other events. */
async function createWaitingSession(p: { start?: number; before?: number; after?: number }): Promise<{
  ids: string[];
  read: () => Promise<Read>;
  rewind: () => Promise<unknown>;
}> {
  const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
  const model = new ScriptedLlm(calls('pay'), calls('pay'), says('Hi.'));
  const { runner, sessions } = await createSetup(rootOf(model, { tools: [pay] }));
  const fill = async (count = 0): Promise<void> => {
    for (let i = 0; i < count; i++)
      await sessions.appendEvent({ session: ref, event: createEvent({ author: 'root', invocationId: 'other' }) });
  };
  await fill(p.start);
  await runner.runToCompletion(hello);
  await fill(p.before);
  await runner.runToCompletion(hello);
  await fill(p.after);
  const ids = (await sessions.getSession(ref))!.events.flatMap(({ longRunningToolIds = [] }) => longRunningToolIds);
  return {
    ids,
    async read() {
      const reads: number[] = [];
      const counted: SessionService = Object.create(sessions, {
        getSession: {
          value: async (...args: Parameters<InMemorySessionService['getSession']>) => {
            const session = await sessions.getSession(...args);
            reads.push(session?.events.length ?? 0);
            return session;
          },
        },
      }) as SessionService;
      const reader = await createSetup(rootOf(new ScriptedLlm()), { sessionService: counted });
      reads.length = 0;
      return { interrupts: await reader.runner.pendingInterrupts(ref), reads };
    },
    async rewind() {
      const last = (await runner.runToCompletion(hello)).invocationId;
      return runner.rewind({ ...ref, rewindBeforeInvocationId: last });
    },
  };
}

describe('Runner.pendingInterrupts', () => {
  it('reads the newest 100 of 5,000 events if they contain all requests', async () => {
    const { ids, read } = await createWaitingSession({ start: 4_900, after: 40 });
    expect(ids).toHaveLength(2);
    const { interrupts, reads } = await read();
    expect([interrupts.map(({ id }) => id), reads.length]).toEqual([ids, 1]);
    expect(reads[0]).toBeLessThanOrEqual(100);
  });

  it('reads at most 8 times as many events as the oldest open request needs', async () => {
    const { ids, read } = await createWaitingSession({ start: 4_500, before: 200, after: 300 });
    const { interrupts, reads } = await read();
    expect([interrupts.map(({ id }) => id), reads]).toEqual([ids, [100, 800]]);
  });

  it('throws SESSION_NOT_FOUND for an unknown session, as resume and updateSessionState do', async () => {
    const plugins: Plugin[] = [{ name: 'listener', onEventCallback: () => undefined }];
    const { runner } = await createSetup(rootOf(new ScriptedLlm()), { plugins });
    const unknown = { userId: 'ann', sessionId: 'unknown' };
    const error = { code: 'SESSION_NOT_FOUND', message: expect.stringContaining('"unknown"') };
    await expect(runner.pendingInterrupts(unknown)).rejects.toMatchObject(error);
    expect((await outcomeOf(runner.resume({ ...unknown, answers: { c1: 1 } }))).error).toMatchObject(error);
    await expect(runner.updateSessionState({ ...unknown, stateDelta: { a: 1 } })).rejects.toMatchObject(error);
  });

  it('reads the whole session after a rewind', async () => {
    const { ids, read, rewind } = await createWaitingSession({ before: 1_000 });
    await rewind();
    const { interrupts, reads } = await read();
    expect([interrupts.map(({ id }) => id), reads.length]).toEqual([ids, 2]);
  });
});

describe('Runner.updateState', () => {
  it.each([
    ['without plugins', []],
    ['with a plugin', [{ name: 'listener', onEventCallback: () => undefined }]],
  ])('names its argument if a value is not JSON, %s', async (_, plugins) => {
    const { runner } = await createAgentSetup(saying('root', 'fine'), { plugins });
    const update = (stateDelta: unknown): Promise<unknown> =>
      runner.updateState({ userId: 'ann', sessionId: 's', stateDelta: stateDelta as never });
    await expect(update({ 'a b': NaN })).rejects.toThrow(/^stateDelta\["a b"\] must be JSON, but it is NaN\.$/);
    await expect(update(5)).rejects.toThrow(/^stateDelta must be an object, got a number\.$/);
  });

  it('throws SESSION_NOT_FOUND for a missing session, also with autoCreateSession', async () => {
    const { runner } = await createAgentSetup(saying('root', 'fine'), { autoCreateSession: true });
    const update = runner.updateState({ userId: 'ann', sessionId: 'missing', stateDelta: { mood: 'good' } });
    await expect(update).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('passes the event to plugins and stores it without a lease (contracts 12, 16)', async () => {
    const events: unknown[] = [];
    const plugin: Plugin = {
      name: 'listener',
      onEventCallback: ({ event }) => void events.push([event.author, event.actions.stateDelta]),
    };
    const { runner, stored } = await createAgentSetup(saying('root', 'fine'), { plugins: [plugin] });
    const event = await runner.updateSessionState({
      userId: 'ann',
      sessionId: 's',
      stateDelta: { mood: 'good', 'temp:x': 1 },
    });
    expect(event.seq).toBe(1);
    expect(events).toEqual([['system', { mood: 'good', 'temp:x': 1 }]]);
    expect((await stored()).state).toEqual({ mood: 'good' });
  });
});
