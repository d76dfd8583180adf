import type { App, AuthConfig, Authenticator, Tool } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createDurableStore } from '../support/durable-store.ts';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

const ask = (ttlMs?: number): Tool =>
  toolOf('ask', async (_args, context) =>
    context.requestInput({ message: 'Which?', ttlMs }).catch((error: { code?: string }) => {
      if (error.code === undefined) throw error;
      return { code: error.code };
    }),
  );
const pay = (confirmationTtlMs?: number): Tool =>
  toolOf('pay', () => 'paid', { requireConfirmation: true, confirmationTtlMs });

describe('An interrupt that expires', () => {
  const cases: [string, Tool, Partial<App>, number][] = [
    ['confirmationTtlMs of its tool', pay(60_000), { interruptTtlMs: 1_000 }, 60],
    ['ttlMs of its request', ask(60_000), { interruptTtlMs: 1_000 }, 60],
    ['interruptTtlMs of the app', ask(), { interruptTtlMs: 90_000 }, 90],
    ['interruptTtlMs of the app for a confirmation', pay(), { interruptTtlMs: 90_000 }, 90],
  ];
  it.each(cases)('has its expiry from %s', async (_, tool, app, seconds) => {
    const { runnerOf, runtime } = await createDurableStore();
    const runner = runnerOf(rootOf(new ScriptedLlm(calls(tool.name, {}, 'c1')), { tools: [tool] }), app);
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts[0]!.expiresAt).toBe(runtime.now() + seconds);
  });

  it.each([ask(), pay()])('has no expiry by default', async (tool) => {
    const { runnerOf } = await createDurableStore();
    const runner = runnerOf(rootOf(new ScriptedLlm(calls(tool.name, {}, 'c1')), { tools: [tool] }));
    expect((await runner.runToCompletion(hello)).interrupts[0]!.expiresAt).toBeUndefined();
  });

  it.each<[string, Tool, Partial<App>]>([
    ['a confirmation', pay(), { interruptTtlMs: Infinity }],
    ['a confirmation that expires after the year 9999', pay(Number.MAX_SAFE_INTEGER), {}],
    ['a request for input that expires after the year 9999', ask(Number.MAX_SAFE_INTEGER), {}],
  ])('never expires: %s', async (_, tool, app) => {
    const { runnerOf } = await createDurableStore();
    const runner = runnerOf(rootOf(new ScriptedLlm(calls(tool.name, {}, 'c1')), { tools: [tool] }), app);
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts.map(({ expiresAt, functionCallId }) => [functionCallId, expiresAt])).toEqual([['c1', undefined]]);
  });

  it('never expires: a sign-in with interruptTtlMs Infinity', async () => {
    const expiries: unknown[] = [];
    const authenticator = {
      loadCredential: async () => undefined,
      beginSignIn: async ({ authConfig, expiresAt }: { authConfig: AuthConfig; expiresAt?: number }) => {
        expiries.push(expiresAt);
        return authConfig;
      },
      finishSignIn: () => Promise.reject(new Error('not used')),
    } as unknown as Authenticator;
    const authConfig: AuthConfig = { authScheme: { type: 'apiKey', in: 'header', name: 'x-key' } };
    const tool = toolOf('read', (_args, context) => context.requestCredential(authConfig));
    const rootAgent = rootOf(new ScriptedLlm(calls('read', {}, 'c1')), { tools: [tool] });
    const app = { name: 'app', rootAgent, interruptTtlMs: Infinity };
    const { runner } = await createSetup(rootAgent, { app, appName: undefined, agent: undefined, authenticator });
    const { interrupts } = await runner.runToCompletion(hello);
    expect([expiries, interrupts[0]!.expiresAt]).toEqual([[undefined], undefined]);
  });

  it('rejects an answer from its expiry on, also before recovery, and stores nothing', async () => {
    const { events, runnerOf, runtime } = await createDurableStore();
    const agent = rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [pay(60_000)] });
    const before = runnerOf(agent);
    const { interrupts } = await before.runToCompletion(hello);
    // Nothing wakes the invocation.
    await before.close();
    await runtime.advance(60_000);
    const stored = await events();
    const after = runnerOf(rootOf(new ScriptedLlm(says('Too late.')), { tools: [pay(60_000)] }));
    const answer = async (): Promise<string | undefined> =>
      (await outcomeOf(after.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }))).error?.code;
    expect(await answer()).toBe('INTERRUPT_EXPIRED');
    expect(await events()).toEqual(stored);
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(answersIn(await events()).at(-1)).toEqual(['pay', { error: 'This tool call is rejected.' }]);
    expect((await events()).find(({ id }) => id === `${interrupts[0]!.id}:answer`)?.author).toBe('system');
    expect(await answer()).toBe('INTERRUPT_EXPIRED');
  });

  it('is answered with an error if it is not a confirmation', async () => {
    const { events, runnerOf, runtime } = await createDurableStore();
    const agent = rootOf(new ScriptedLlm(calls('ask', {}, 'c1')), { tools: [ask(60_000)] });
    const before = runnerOf(agent);
    const { interrupts } = await before.runToCompletion(hello);
    await before.close();
    await runtime.advance(61_000);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Too late.')), { tools: [ask(60_000)] }));
    await Array.fromAsync(after.recover());
    expect(answersIn(await events())).toEqual([
      ['adk_request_input', { error: 'no answer in time' }],
      ['ask', { code: 'INTERRUPT_EXPIRED' }],
    ]);
    expect((await events()).find(({ id }) => id === `${interrupts[0]!.id}:answer`)?.author).toBe('system');
    expect(textsIn(await events()).at(-1)).toBe('root: Too late.');
  });
});
