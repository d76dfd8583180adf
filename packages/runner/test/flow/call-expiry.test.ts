import { getFunctionCalls, pendingInterrupts } from '@thole/core';
import type { Plugin } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, outcomeOf, rootOf, toolOf } from '../support/llm-setup.ts';

describe('customMetadata.expiresAt', () => {
  it('is the time until which a long-running call can be answered (contract 28)', async () => {
    const expiry: Plugin = {
      name: 'expiry',
      onEventCallback({ event }) {
        const [call] = getFunctionCalls(event);
        if (!call) return undefined;
        return {
          ...event,
          customMetadata: { ...event.customMetadata, expiresAt: { [call.id!]: event.timestamp + 60 } },
        };
      },
    };
    const model = new ScriptedLlm(calls('ship', {}), says('Pending.'));
    const tools = [toolOf('ship', () => undefined, { isLongRunning: true })];
    const { runner, runtime, stored } = await createSetup(rootOf(model, { tools }), { plugins: [expiry] });
    await runner.runToCompletion(hello);
    const [interrupt] = pendingInterrupts((await stored()).events);
    expect(interrupt).toMatchObject({ kind: 'longRunning', expiresAt: interrupt!.createdAt + 60 });
    await runtime.advance(61_000);
    const functionResponse = { id: interrupt!.functionCallId!, name: 'ship', response: { ok: true } };
    const { error } = await outcomeOf(runner.runAsync({ ...hello, newMessage: { parts: [{ functionResponse }] } }));
    expect(error?.code).toBe('INTERRUPT_EXPIRED');
  });
});
