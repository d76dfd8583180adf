import { createEvent } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';
import { agentOf } from '../support/setup.ts';

describe('Runner.recover', () => {
  it('answers an expired confirmation as rejected', async () => {
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true, confirmationTtlMs: 60_000 });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Too late.'));
    const { runner, runtime, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion(hello);
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
    await runtime.advance(61_000);
    await runner.idle();
    await settle();
    expect(textsIn((await stored()).events).at(-1)).toBe('root: Too late.');
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });
});

describe('context.sleep', () => {
  it('pauses the run, and the process wakes it on time', async () => {
    const agent = agentOf('root', async function* (context) {
      await context.sleep(3_600_000);
      yield createEvent(
        { author: 'root', invocationId: context.invocationId, content: { role: 'model', parts: [{ text: 'Awake.' }] } },
        context.runtime,
      );
    });
    const { runner, runtime, stored } = await createSetup(agent);
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'paused', interrupts: [{ kind: 'timer' }] });
    await runtime.advance(3_600_000);
    await settle();
    await runner.idle();
    expect(textsIn((await stored()).events).at(-1)).toBe('root: Awake.');
  });

  it('is continued by another process after a restart', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const agent = agentOf('root', async function* (context) {
      await context.sleepUntil(2e9);
      yield createEvent(
        { author: 'root', invocationId: context.invocationId, content: { role: 'model', parts: [{ text: 'Awake.' }] } },
        context.runtime,
      );
    });
    const before = await createSetup(agent, { runtime, sessionService });
    await before.runner.runToCompletion(hello);
    await before.runner.close();
    await runtime.advance((2e9 - runtime.now()) * 1_000 + 1);
    const after = await createSetup(agent, { runtime, sessionService });
    expect(await Array.fromAsync(after.runner.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(textsIn((await sessionService.getSession(ref))!.events).at(-1)).toBe('root: Awake.');
  });
});
