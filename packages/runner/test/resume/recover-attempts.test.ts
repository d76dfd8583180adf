import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { durableStore, runAndClose, stuck } from '../support/durable-store.ts';
import type { DurableStore } from '../support/durable-store.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';

/** A model that never answers. */
const silent = (): ScriptedLlm => new ScriptedLlm(() => new Promise(() => {}));

/** Recovers in a process that ends while the model is asked. Returns what recovery said. */
async function recoverAndDie({ runnerOf }: DurableStore): Promise<string> {
  const runner = runnerOf(rootOf(silent()));
  const recovering = Array.fromAsync(runner.recover());
  await settle();
  await runner.close();
  const [result] = await recovering;
  return result?.reason ?? result?.error?.code ?? 'nothing';
}

describe('Attempts of Runner.recover', () => {
  it('wait 0, 1 and 10 minutes, and end with RESUME_FAILED after three without progress', async () => {
    const store = await durableStore();
    const { runnerOf, runtime, events } = store;
    await runAndClose(runnerOf(rootOf(silent())));
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

  it('are counted again after a new answer', async () => {
    const store = await durableStore();
    const { runnerOf, runtime, events } = store;
    await runAndClose(runnerOf(rootOf(silent())));
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

  it('can be continued by hand after RESUME_FAILED', async () => {
    const store = await durableStore();
    const { runnerOf, runtime, events } = store;
    await runAndClose(runnerOf(rootOf(silent())));
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
    const { runnerOf, events } = await durableStore();
    const workflow = (...names: string[]): SequentialAgent =>
      new SequentialAgent({
        name: 'root',
        subAgents: names.map(
          (name) => new LlmAgent({ name, model: new ScriptedLlm(says(name), () => new Promise(() => {})) }),
        ),
      });
    const dies = new SequentialAgent({
      name: 'root',
      subAgents: [
        new LlmAgent({ name: 'first', model: new ScriptedLlm(says('1')) }),
        new LlmAgent({ name: 'second', model: silent() }),
      ],
    });
    await runAndClose(runnerOf(dies));
    const before = await events();
    const other = runnerOf(workflow('other', 'second'));
    expect(await Array.fromAsync(other.recover())).toMatchObject([
      { outcome: 'skipped', reason: 'unknown-agent-or-tool' },
    ]);
    expect(await events()).toEqual(before);
    expect(await Array.fromAsync(runnerOf(workflow('first', 'second')).recover())).toMatchObject([
      { outcome: 'completed' },
    ]);
  });

  it('leaves an invocation with an open call of an unknown tool', async () => {
    const { runnerOf, events } = await durableStore();
    const { tool } = stuck({ idempotent: true });
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    const before = await events();
    expect(await Array.fromAsync(runnerOf(rootOf(silent())).recover())).toMatchObject([
      { outcome: 'skipped', reason: 'unknown-agent-or-tool' },
    ]);
    expect(await events()).toEqual(before);
  });
});

describe('RecoverOptions', () => {
  it('limit and concurrency bound the invocations; contextFor gives deps and runConfig', async () => {
    const { runnerOf, sessions } = await durableStore();
    const ids = ['s', 't', 'u'];
    for (const sessionId of ids.slice(1)) await sessions.createSession({ ...ref, sessionId });
    const dying = runnerOf(rootOf(new ScriptedLlm(...ids.map(() => () => new Promise<never>(() => {})))));
    const runs = ids.map((sessionId) => dying.runAsync({ ...hello, sessionId, runConfig: { reader: 'detached' } }));
    await settle();
    await dying.close();
    await Promise.all(runs.map(({ done }) => done));
    let active = 0;
    let most = 0;
    const seen: unknown[] = [];
    const answer = async (): Promise<ReturnType<typeof says>> => {
      most = Math.max(most, ++active);
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
    expect(most).toBe(1);
    expect(new Set(seen)).toEqual(new Set(ids));
  });

  it('rejects a store without leases with LEASING_NOT_SUPPORTED', async () => {
    const { sessions } = await createSetup(rootOf(silent()));
    const sessionService = new Proxy(sessions, {
      get: (target, name) => (name === 'leasing' ? undefined : Reflect.get(target, name, target)),
    });
    const { runner } = await createSetup(rootOf(silent()), { sessionService });
    await expect(Array.fromAsync(runner.recover())).rejects.toMatchObject({ code: 'LEASING_NOT_SUPPORTED' });
  });
});
