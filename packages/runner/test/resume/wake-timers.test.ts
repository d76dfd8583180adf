import type { Event } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Runner } from '../../src/index.ts';
import { createDurableStore } from '../support/durable-store.ts';
import { hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
const other = { userId: 'bob', sessionId: 's' };

describe('WakeTimers', () => {
  type End = (runner: Runner, event: Event) => Promise<unknown>;
  const ends: [string, End][] = [
    ['deleteSession', (runner) => runner.deleteSession(ref)],
    ['deleteUserData', (runner) => runner.deleteUserData({ userId: ref.userId })],
    ['cancel', (runner, { invocationId }) => runner.cancel({ ...ref, invocationId })],
    ['rewind', (runner, { invocationId }) => runner.rewind({ ...ref, rewindBeforeInvocationId: invocationId })],
    ['close', (runner) => runner.close()],
  ];
  it.each(ends)('has no timer of an invocation that has ended by %s', async (name, end) => {
    const { runnerOf, runtime, sessions } = await createDurableStore();
    await sessions.createSession({ ...ref, ...other });
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('pay'), calls('pay')), { tools: [pay] }), {
      interruptTtlMs: 86_400_000,
    });
    const { events } = await runner.runToCompletion(hello);
    await runtime.advance(60_000);
    const before = runtime.pending;
    await runner.runToCompletion({ ...other, newMessage: 'hello' });
    await runtime.advance(60_000);
    expect(runtime.pending).toBe(before + 1);
    await end(runner, events[0]!);
    await runtime.advance(60_000);
    // The timer of the other user stays until the runner is closed.
    expect(runtime.pending).toBe(name === 'close' ? 0 : before);
  });

  it('keeps the timer of an invocation that is still open after another run of its session', async () => {
    const { runnerOf, runtime } = await createDurableStore();
    const llm = new ScriptedLlm(calls('pay'), says('Hello again.'), says('Too late.'));
    const runner = runnerOf(rootOf(llm, { tools: [pay] }), { interruptTtlMs: 86_400_000 });
    await runner.runToCompletion(hello);
    await runner.runToCompletion(hello);
    await runtime.advance(60_000);
    expect([runtime.pending, llm.requests]).toMatchObject([1, { length: 2 }]);
    await runtime.advance(86_400_000);
    expect([runtime.pending, llm.requests]).toMatchObject([0, { length: 3 }]);
  });
});
