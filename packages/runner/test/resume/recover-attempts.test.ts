import { StoredSessionService } from '@thole/core';
import type { WaitingPage } from '@thole/core';
import { InMemorySessionStore } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { createDurableStore, runAndClose, createStuckTool } from '../support/durable-store.ts';
import type { DurableStore } from '../support/durable-store.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';

/** Returns a model that never answers. */
const silentModel = (): ScriptedLlm => new ScriptedLlm(() => new Promise(() => {}));

/** Recovers in a process that ends during the model call. Returns the reason or the error code of the recovery. */
async function recoverAndDie({ runnerOf }: DurableStore): Promise<string> {
  const runner = runnerOf(rootOf(silentModel()));
  const recovering = Array.fromAsync(runner.recover());
  await settle();
  await runner.close();
  const [result] = await recovering;
  return result?.reason ?? result?.error?.code ?? 'nothing';
}

describe('Attempts of Runner.recover', () => {
  it('wait 0, 1 and 10 minutes, and end with RESUME_FAILED after three without progress', async () => {
    const store = await createDurableStore();
    const { runnerOf, runtime, events } = store;
    await runAndClose(runnerOf(rootOf(silentModel())));
    const found: string[] = [];
    for (const ms of [0, 59_000, 1_000, 599_000, 1_000]) {
      await runtime.advance(ms);
      found.push(await recoverAndDie(store));
    }
    expect(found).toEqual(['RUN_ABORTED', 'waiting-for-retry', 'RUN_ABORTED', 'waiting-for-retry', 'RUN_ABORTED']);
    const attempts = (await events()).filter(({ customMetadata }) => customMetadata?.['resumeAttempt'] !== undefined);
    expect(attempts.map(({ author, content, customMetadata }) => [author, content, customMetadata])).toEqual(
      [1, 2, 3].map((resumeAttempt) => ['system', undefined, { resumeAttempt }]),
    );
    expect(await recoverAndDie(store)).toBe('RESUME_FAILED');
    expect((await events()).at(-1)).toMatchObject({ errorCode: 'RESUME_FAILED' });
    expect(await recoverAndDie(store)).toBe('nothing');
  });

  it('are not delayed by an attempt that was stored while the clock was years ahead', async () => {
    const store = await createDurableStore();
    const { runnerOf, runtime } = store;
    await runAndClose(runnerOf(rootOf(silentModel())));
    const now = runtime.now.bind(runtime);
    runtime.now = () => now() + 10 * 365 * 86_400;
    expect(await recoverAndDie(store)).toBe('RUN_ABORTED');
    runtime.now = now;
    const after = runnerOf(rootOf(new ScriptedLlm(says('At last.'))));
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
  });

  it('start again from 1 after a new answer', async () => {
    const store = await createDurableStore();
    const { runnerOf, runtime, events } = store;
    await runAndClose(runnerOf(rootOf(silentModel())));
    await recoverAndDie(store);
    await runtime.advance(60_000);
    const look = toolOf('look', () => new Promise(() => {}), { idempotent: true });
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('look', {}, 'c1')), { tools: [look] }));
    const recovering = Array.fromAsync(runner.recover());
    await settle();
    await runner.close();
    await recovering;
    const after = runnerOf(
      rootOf(new ScriptedLlm(says('Seen.')), { tools: [toolOf('look', () => 1, { idempotent: true })] }),
    );
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect((await events()).flatMap(({ customMetadata }) => customMetadata?.['resumeAttempt'] ?? [])).toEqual([
      1, 2, 1,
    ]);
  });

  it('do not prevent resume() after RESUME_FAILED', async () => {
    const store = await createDurableStore();
    const { runnerOf, runtime, events } = store;
    await runAndClose(runnerOf(rootOf(silentModel())));
    for (let i = 0; i < 4; i++) {
      await recoverAndDie(store);
      await runtime.advance(600_000);
    }
    const { invocationId } = (await events())[0]!;
    const after = runnerOf(rootOf(new ScriptedLlm(says('At last.'))));
    expect((await outcomeOf(after.resume({ ...ref, invocationId }))).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('root: At last.');
  });
});

describe('Runner.recover in a process with another app', () => {
  it('leaves an invocation with an unknown agent for another process, and stores nothing', async () => {
    const { runnerOf, events } = await createDurableStore();
    const workflow = (...names: string[]): SequentialAgent =>
      new SequentialAgent({
        name: 'root',
        subAgents: names.map(
          (name) => new LlmAgent({ name, model: new ScriptedLlm(says(name), () => new Promise(() => {})) }),
        ),
      });
    const dyingAgent = new SequentialAgent({
      name: 'root',
      subAgents: [
        new LlmAgent({ name: 'first', model: new ScriptedLlm(says('1')) }),
        new LlmAgent({ name: 'second', model: silentModel() }),
      ],
    });
    await runAndClose(runnerOf(dyingAgent));
    const before = await events();
    // In the second app, another agent begins the invocation, so the places of its events differ.
    const outer = new SequentialAgent({ name: 'outer', subAgents: [workflow('first', 'second')] });
    for (const other of [workflow('other', 'second'), outer])
      expect(await Array.fromAsync(runnerOf(other).recover())).toMatchObject([
        { outcome: 'skipped', reason: 'unknown-agent-or-tool' },
      ]);
    expect(await events()).toEqual(before);
    expect(await Array.fromAsync(runnerOf(workflow('first', 'second')).recover())).toMatchObject([
      { outcome: 'completed' },
    ]);
  });

  it('leaves an invocation with an open call of an unknown tool', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    const before = await events();
    expect(await Array.fromAsync(runnerOf(rootOf(silentModel())).recover())).toMatchObject([
      { outcome: 'skipped', reason: 'unknown-agent-or-tool' },
    ]);
    expect(await events()).toEqual(before);
  });
});

describe('RecoverOptions', () => {
  it('limit the invocations with limit and concurrency, and pass deps with contextFor', async () => {
    const { runnerOf, sessions } = await createDurableStore();
    const ids = ['s', 't', 'u'];
    for (const sessionId of ids.slice(1)) await sessions.createSession({ ...ref, sessionId });
    const dyingRunner = runnerOf(rootOf(new ScriptedLlm(...ids.map(() => () => new Promise<never>(() => {})))));
    const runs = ids.map((sessionId) =>
      dyingRunner.runAsync({ ...hello, sessionId, runConfig: { reader: 'detached' } }),
    );
    await settle();
    await dyingRunner.close();
    await Promise.all(runs.map(({ done }) => done));
    let active = 0;
    let maxActive = 0;
    const seen: unknown[] = [];
    const answer = async (): Promise<ReturnType<typeof says>> => {
      maxActive = Math.max(maxActive, ++active);
      await new Promise((resolve) => setImmediate(resolve));
      active--;
      return says('Done.');
    };
    const agent = rootOf(new ScriptedLlm(answer, answer, answer), {
      instruction: ({ deps }) => String(seen.push(deps)),
    });
    const after = runnerOf(agent);
    const contextFor = (p: { ref: { sessionId: string } }): { deps: string } => ({ deps: p.ref.sessionId });
    expect(await Array.fromAsync(after.recover({ limit: 1, contextFor }))).toMatchObject([{ outcome: 'completed' }]);
    expect(await Array.fromAsync(after.recover({ concurrency: 1, contextFor }))).toHaveLength(2);
    expect(maxActive).toBe(1);
    expect(new Set(seen)).toEqual(new Set(ids));
  });

  it('report an error of contextFor for its invocation, which can be recovered later', async () => {
    const { runnerOf } = await createDurableStore();
    await runAndClose(runnerOf(rootOf(silentModel())));
    const cause = new Error('no tenant');
    const contextFor = (): never => {
      throw cause;
    };
    const runner = runnerOf(rootOf(new ScriptedLlm(says('Done.'))));
    expect(await Array.fromAsync(runner.recover({ contextFor }))).toMatchObject([
      { ref, invocationId: expect.any(String), outcome: 'failed', error: { code: 'INVALID_INPUT', cause } },
    ]);
    expect(await Array.fromAsync(runner.recover())).toMatchObject([{ outcome: 'completed' }]);
  });

  it('rejects contextFor and limits of a wrong type with INVALID_INPUT', async () => {
    const { runner } = await createSetup(rootOf(silentModel()));
    for (const options of [{ contextFor: 'deps' }, { limit: -1 }, { concurrency: 0 }]) {
      await expect(Array.fromAsync(runner.recover(options as never))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
  });

  it('rejects a store without leases with LEASING_NOT_SUPPORTED', async () => {
    const { sessions } = await createSetup(rootOf(silentModel()));
    const sessionService = new Proxy(sessions, {
      get: (target, name) => (name === 'leasing' ? undefined : Reflect.get(target, name, target)),
    });
    const { runner } = await createSetup(rootOf(silentModel()), { sessionService });
    await expect(Array.fromAsync(runner.recover())).rejects.toMatchObject({ code: 'LEASING_NOT_SUPPORTED' });
  });

  it('uses listWaitingSessions of a subclass whose store has no lists of waiting sessions', async () => {
    const store = Object.assign(new InMemorySessionStore(), { waiting: undefined });
    class Service extends StoredSessionService {
      override listWaitingSessions(): Promise<WaitingPage> {
        return Promise.resolve({ sessions: [] });
      }
    }
    const { runner } = await createSetup(rootOf(silentModel()), { sessionService: new Service(store) });
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });

  it('rejects a store without lists of waiting sessions with LEASING_NOT_SUPPORTED', async () => {
    const store = Object.assign(new InMemorySessionStore(), { waiting: undefined });
    const { runner } = await createSetup(rootOf(silentModel()), { sessionService: new StoredSessionService(store) });
    await expect(Array.fromAsync(runner.recover())).rejects.toMatchObject({
      code: 'LEASING_NOT_SUPPORTED',
      message: 'recover needs a session service with listWaitingSessions().',
    });
  });
});
