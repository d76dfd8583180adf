import { TholeError } from '@thole/core';
import type { SessionService } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { calls, callsAll, says as modelSays, ScriptedLlm } from '@thole/testing';
import { createSetup as createLlmSetup, rootOf, toolOf } from '../support/llm-setup.ts';
import { agentOf, hello, createSetup, ref, says, textsIn } from '../support/setup.ts';

/** Deletes the session and creates it again under its id. */
async function replace(service: SessionService): Promise<void> {
  await service.deleteSession(ref);
  await service.createSession(ref);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (TholeError.is(error) ? error.code : String(error)),
  );
}

describe('A session that is deleted and created again during a run', () => {
  it('ends the run with SESSION_NOT_FOUND and gets no events of the run (contract 7)', async () => {
    const agent = agentOf('root', async function* (context) {
      yield says(context, 'one');
      await replace(setup.service);
      yield says(context, 'two', { actions: { ...says(context, '').actions, stateDelta: { a: 1, 'user:b': 2 } } });
      yield says(context, 'three');
    });
    const setup = await createSetup(agent);
    expect(await codeOf(setup.runner.runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    const { events, state } = await setup.stored();
    expect([events, state]).toEqual([[], {}]);
  });

  it('ends the run also without leases and with other events in it (contract 7)', async () => {
    const agent = agentOf('root', async function* (context) {
      await replace(setup.service);
      await setup.service.updateState({ ...ref, stateDelta: { other: 1 } });
      yield says(context, 'one');
    });
    const setup = await createSetup(agent);
    const service = new Proxy(setup.service, {
      get(target, name) {
        if (name === 'leasing') return undefined;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
      },
    });
    expect(await codeOf(setup.newRunner({ sessionService: service }).runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    expect((await setup.stored()).events.map(({ actions }) => actions.stateDelta)).toEqual([{ other: 1 }]);
  });

  it('gets no tool answer and no closing record of an aborted run (contract 7)', async () => {
    const controller = new AbortController();
    const tool = toolOf('look', async () => {
      await replace(setup.sessions);
      controller.abort();
      return { seen: 1 };
    });
    const setup = await createLlmSetup(rootOf(new ScriptedLlm(calls('look'), modelSays('x')), { tools: [tool] }));
    const ended = await codeOf(setup.runner.runToCompletion({ ...hello, abortSignal: controller.signal }));
    expect(ended).toBe('RUN_ABORTED');
    expect((await setup.stored()).events).toEqual([]);
  });

  it('gets no tool answers of the old run (contract 7)', async () => {
    const tool = toolOf('look', () => replace(setup.sessions).catch(() => {}));
    const model = new ScriptedLlm(callsAll(['look', {}, 'a'], ['look', {}, 'b']), modelSays('x'));
    const setup = await createLlmSetup(rootOf(model, { tools: [tool] }));
    expect(await codeOf(setup.runner.runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    expect((await setup.stored()).events).toEqual([]);
  });

  it('is used by the next run (contract 13)', async () => {
    let turn = 0;
    const agent = agentOf('root', async function* (context) {
      if (turn++ === 0) await replace(setup.service);
      yield says(context, `turn ${turn}`);
    });
    const setup = await createSetup(agent);
    expect(await codeOf(setup.runner.runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(setup.runner.runToCompletion(hello))).toBe('done');
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', 'turn 2']);
  });
});
