import { getFunctionResponses, TholeError } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { callsAll, FixedRuntime, ignores, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import {
  agentOf,
  agentWith,
  withCounts,
  countedTool,
  createSetup,
  expectNextTurn,
  hello,
  readAll,
  readingOf,
  ref,
  says,
  saying,
  settle,
  textsIn,
  withChangedLease,
} from '../support/setup.ts';

describe('LeaseRenewal', () => {
  it.each<[string, () => Promise<never>, boolean]>([
    [
      'continues the run if the store cannot be reached for a while',
      () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'No answer.')),
      true,
    ],
    ['stops the run if the lease is lost', () => Promise.reject(new TholeError('LEASE_LOST', 'Lost.')), false],
    ['stops the run when the lease has expired without an answer', () => new Promise(() => {}), false],
  ])('%s (contract 13)', async (_, renewal, continues) => {
    const gate = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      await gate.promise;
      yield says(context, 'late');
    });
    const { service, newRunner, runtime } = await createSetup(agent);
    let failures = 2;
    const sessionService = withChangedLease(service, (lease) => ({
      renew: () => (failures-- > 0 ? renewal() : lease.renew()),
    }));
    const outcome = newRunner({ sessionService })
      .runToCompletion(hello)
      .then(
        ({ text }) => text,
        (error: TholeError) => error.code,
      );
    await settle();
    for (let i = 0; i < 45; i++) await runtime.advance(1_000);
    gate.resolve();
    expect(await outcome).toBe(continues ? 'late' : 'LEASE_LOST');
  });
});

describe('Release of a lease', () => {
  it('ends the run after cleanupMs if the store never answers', async () => {
    const { service, newRunner, runtime } = await createSetup(
      new LlmAgent({ name: 'root', model: new ScriptedLlm(answers('fine')) }),
    );
    const sessionService = withChangedLease(service, { release: () => new Promise(() => {}) });
    const completed = newRunner({ sessionService }).runToCompletion(hello);
    await settle();
    await runtime.advance(5_001);
    expect((await completed).text).toBe('fine');
  });
});

describe('Runs of the same session', () => {
  it('run in the order of requests, up to maxWaiting and waitMs, with policy queue (contract 13)', async () => {
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const agent = agentOf('root', async function* (context) {
      order.push(context.userContent.parts![0]!.text!);
      await new Promise<void>((resolve) => gates.push(resolve));
      yield says(context, 'yes');
    });
    const setup = await createSetup(agent);
    const runners = [setup.runner, setup.newRunner()];
    const running = Array.from({ length: 17 }, (_, i) =>
      runners[i % 2]!.runToCompletion({ ...hello, newMessage: `${i}` }),
    );
    await settle();
    await expect(
      setup.runner.runToCompletion({ ...hello, newMessage: 'the seventeenth that waits' }),
    ).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    for (let i = 0; i < 17; i++) {
      gates[i]!();
      await running[i];
      await settle();
    }
    expect(order).toEqual(running.map((_, i) => `${i}`));
    const holder = setup.runner.runToCompletion(hello);
    await settle();
    const impatient = setup.newRunner({ concurrency: { waitMs: 1_000 } }).runToCompletion(hello);
    impatient.catch(() => {});
    await settle();
    await setup.runtime.advance(1_001);
    await expect(impatient).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    gates.at(-1)!();
    await holder;
  });

  it('continue when the lease of a dead process expires (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await createJumpingSetup();
    const dead = readingOf(runnerFor(agentWith(new ScriptedLlm(ignores()))));
    await settle();
    const waiting = runnerFor(agentWith(new ScriptedLlm(answers('fine')))).runToCompletion(hello);
    await settle();
    runtime.jump(31_000);
    await runtime.advance(30_000);
    expect((await waiting).text).toBe('fine');
    await expect(dead.reading).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(textsIn((await stored()).events)).toEqual(['hello', '(RUN_SUPERSEDED)', 'hello', 'fine']);
  });

  it('begin after the interrupted run has stored its finished work (contract 13)', async () => {
    const setup = await createSetup(agentWith(new ScriptedLlm(answers('old'), answers('new'))), {
      concurrency: { policy: 'interrupt' },
    });
    const old = setup.runner.runAsync(hello);
    await old.next();
    expect((await setup.newRunner().runToCompletion({ ...hello, newMessage: 'instead' })).text).toBe('new');
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', 'old', '(RUN_INTERRUPTED)', 'instead', 'new']);
    const rest = readAll(old);
    await expect(rest.reading).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
    expect(textsIn(rest.events)).toEqual(['(RUN_INTERRUPTED)']);
  });

  it('run the newest of several interrupting messages only (contract 13)', async () => {
    const setup = await createSetup(agentWith(new ScriptedLlm(answers('old'), answers('new'))), {
      concurrency: { policy: 'interrupt' },
    });
    const old = setup.runner.runAsync(hello);
    await old.next();
    const [one, two, three] = ['one', 'two', 'three'].map((newMessage) =>
      setup.newRunner().runToCompletion({ ...hello, newMessage }),
    );
    const interrupted = { status: 'rejected', reason: { code: 'RUN_INTERRUPTED' } };
    expect(await Promise.allSettled([one, two])).toMatchObject([interrupted, interrupted]);
    expect((await three!).text).toBe('new');
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', 'old', '(RUN_INTERRUPTED)', 'three', 'new']);
  });

  it('end with LEASE_LOST and store nothing if another run took the lease (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await createJumpingSetup();
    const run = runnerFor(saying('root', 'one', 'two')).runAsync(hello);
    await run.next();
    runtime.jump(31_000);
    expect((await runnerFor(saying('root', 'fine')).runToCompletion(hello)).text).toBe('fine');
    await expect(run.next()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', '(RUN_SUPERSEDED)', 'hello', 'fine']);
  });

  it('continue after a suspension longer than the lease if no other run waits (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await createJumpingSetup();
    const run = runnerFor(saying('root', 'one', 'two', 'three')).runAsync(hello);
    await run.next();
    runtime.jump(31_000);
    expect((await run.next()).value?.seq).toBe(3);
    runtime.jump(31_000);
    await runtime.advance(11_000);
    await Array.fromAsync(run);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two', 'three']);
  });

  it('read only new events and state of other writers (contract 13)', async () => {
    const model = new ScriptedLlm(answers('one'), answers('two'));
    const agent = new LlmAgent({ name: 'root', model, instruction: 'Theme: {user:theme?}{app:motd?}' });
    const { service, newRunner } = await createSetup(agent);
    const counted = withCounts(service);
    const runner = newRunner({ sessionService: counted.service });
    await runner.runToCompletion(hello);
    await service.updateState({ ...ref, stateDelta: { 'user:theme': 'dark' } });
    const other = await service.createSession({ appName: 'app', userId: 'ann' });
    await service.updateState({ ...ref, sessionId: other.id, stateDelta: { 'app:motd': '!' } });
    await runner.runToCompletion(hello);
    expect(counted.reads).toEqual([{ afterSeq: undefined }, { afterSeq: 1 }]);
    expect(model.requests[1]!.config.systemInstruction).toContain('Theme: dark!');
  });

  it('send nothing of a deleted session to the model after it was created again', async () => {
    const model = new ScriptedLlm(answers('old answer'), answers('new answer'));
    const setup = await createSetup(agentWith(model));
    await setup.runner.runToCompletion({ ...hello, newMessage: 'old secret', stateDelta: { secret: 'old' } });
    await setup.service.deleteSession(ref);
    await setup.service.createSession(ref);
    await setup.runner.runToCompletion({ ...hello, newMessage: 'new' });
    expect(JSON.stringify(model.requests[1])).not.toContain('old');
    expect((await setup.stored()).state).toEqual({});
  });

  it('read a state update during the run in their next step (contract 13)', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      yield says(context, 'one');
      yield says(context, 'two');
      seen.push(context.state.get('mood'), context.history.length);
    });
    const setup = await createSetup(agent);
    const run = setup.runner.runAsync(hello);
    await run.next();
    await setup.runner.updateSessionState({ userId: 'ann', sessionId: 's', stateDelta: { mood: 'good' } });
    await Array.fromAsync(run);
    expect(seen).toEqual(['good', 4]);
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', 'one', '(empty)', 'two']);
    await expectNextTurn(setup, saying('root', 'fine'));
  });
});

describe('A process that dies', () => {
  it('leaves finished tool answers, and an unknown outcome for the others (contracts 17, 18)', async () => {
    const { runtime, runnerFor, stored } = await createJumpingSetup();
    const done = ['a', 'b'].map((name) => countedTool(name, async () => name));
    const dead = runnerFor(
      agentWith(
        new ScriptedLlm(callsAll(['a'], ['b'], ['c'])),
        ...done,
        countedTool('c', () => new Promise(() => {})),
      ),
    ).runAsync(hello);
    await dead.next();
    dead.next().catch(() => {});
    await settle();
    expect((await stored()).events.flatMap(getFunctionResponses).map(({ name }) => name)).toEqual(['a', 'b']);
    runtime.jump(31_000);
    const model = new ScriptedLlm(answers('fine'));
    await runnerFor(
      agentWith(
        model,
        ...done,
        countedTool('c', async () => 'c'),
      ),
    ).runToCompletion({ ...hello, newMessage: 'again' });
    const responses = model.requests[0]!.contents.flatMap((content) => getFunctionResponses({ content }));
    expect(responses).toMatchObject([
      { name: 'a', response: { result: 'a' } },
      { name: 'b', response: { result: 'b' } },
      { name: 'c', response: { error: expect.stringContaining('unknown') } },
    ]);
  });

  it('leaves the user’s message stored once', async () => {
    const { runtime, runnerFor } = await createJumpingSetup();
    runnerFor(agentWith(new ScriptedLlm(ignores())))
      .runAsync(hello)
      .next()
      .catch(() => {});
    await settle();
    runtime.jump(31_000);
    const model = new ScriptedLlm(answers('fine'));
    await runnerFor(agentWith(model)).runToCompletion({ ...hello, newMessage: 'again' });
    expect(model.requests[0]!.contents.flatMap(({ parts }) => parts?.map(({ text }) => text))).toEqual([
      'hello',
      'again',
    ]);
  });

  it('stores nothing if it continues after the loss of its lease (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await createJumpingSetup();
    let wake = (): void => {};
    const lost = readingOf(
      runnerFor(
        agentOf('root', async function* (context) {
          await new Promise<void>((resolve) => (wake = resolve));
          yield says(context, 'late');
        }),
      ),
    );
    await settle();
    runtime.jump(31_000);
    await runnerFor(saying('root', 'fine')).runToCompletion(hello);
    wake();
    await expect(lost.reading).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(textsIn((await stored()).events)).toEqual(['hello', '(RUN_SUPERSEDED)', 'hello', 'fine']);
  });
});

/** A clock that can jump without firing timers, like the clock of a process that was suspended or has died. */
class JumpingRuntime extends FixedRuntime {
  #jumped = 0;
  jump(ms: number): void {
    this.#jumped += ms;
  }
  override monotonic(): number {
    return super.monotonic() + this.#jumped;
  }
}

async function createJumpingSetup() {
  const runtime = new JumpingRuntime();
  const service = new InMemorySessionService({ runtime });
  await service.createSession(ref);
  return {
    runtime,
    stored: async () => (await service.getSession(ref))!,
    runnerFor: (agent: Parameters<typeof createSetup>[0]) =>
      new Runner({ appName: 'app', agent, sessionService: service, runtime }),
  };
}
