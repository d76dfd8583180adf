import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemRuntime } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { answersIn, outcomeOf, toolOf } from '../support/llm-setup.ts';
import { agentOf, hello, ref, says, settle } from '../support/setup.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns a runner with the real clock. `setTimeout` fires at once for more than 2^31 - 1 ms. */
function createRealTimeSetup(
  agent: LlmAgent | ReturnType<typeof agentOf>,
  concurrency?: ConstructorParameters<typeof Runner>[0]['concurrency'],
): { runner: Runner; service: InMemorySessionService } {
  const service = new InMemorySessionService();
  const runtime = systemRuntime();
  return {
    runner: new Runner({
      appName: 'app',
      agent,
      sessionService: service,
      runtime,
      concurrency,
      autoCreateSession: true,
    }),
    service,
  };
}

describe.each([Infinity, 2 ** 31, 1e12])('A limit of %d ms', (ms) => {
  it.each(['toolTimeoutMs', 'timeLimitMs', 'idleLimitMs', 'cleanupMs'] as const)(
    'does not end the run as %s',
    async (name) => {
      const tool = toolOf('work', () => pause(20));
      const model = new ScriptedLlm(calls('work'), answers('Done.'));
      const { runner } = createRealTimeSetup(new LlmAgent({ name: 'root', model, tools: [tool] }));
      const { events, error } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { [name]: ms } }));
      expect(error).toBeUndefined();
      expect(answersIn(events)).toEqual([['work', { result: null }]]);
    },
  );

  it('does not end the call as timeoutMs of a tool, also if the run has toolTimeoutMs', async () => {
    const tool = toolOf('work', () => pause(20), { timeoutMs: ms });
    const model = new ScriptedLlm(calls('work'), answers('Done.'));
    const { runner } = createRealTimeSetup(new LlmAgent({ name: 'root', model, tools: [tool] }));
    const { events } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { toolTimeoutMs: 1 } }));
    expect(answersIn(events)).toEqual([['work', { result: null }]]);
  });

  it('does not end the wait as concurrency.waitMs', async () => {
    const gate = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      await gate.promise;
      yield says(context, 'Done.');
    });
    const { runner } = createRealTimeSetup(agent, { waitMs: ms });
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion(hello);
    await pause(20);
    gate.resolve();
    expect([(await first).text, (await second).text]).toEqual(['Done.', 'Done.']);
  });

  it('gives an aborted run time to clean up as cleanupMs', async () => {
    const hasYielded = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      context.onClose(() =>
        pause(20)
          .then(() => context.commit(says(context, 'cleaned')))
          .then(() => {}),
      );
      yield says(context, 'one');
      hasYielded.resolve();
      await new Promise(() => {});
    });
    const { runner, service } = createRealTimeSetup(agent);
    const run = runner.runAsync({ ...hello, runConfig: { cleanupMs: ms, reader: 'detached' } });
    await hasYielded.promise;
    run.abort();
    await run.done;
    const { events } = (await service.getSession(ref))!;
    expect(events.map(({ content, errorCode }) => content?.parts?.[0]?.text ?? errorCode)).toEqual([
      'hello',
      'one',
      'cleaned',
      'RUN_ABORTED',
    ]);
  });
});

describe('timeLimitMs', () => {
  it('keeps the process alive until the run has stored its closing record (contract 23)', async () => {
    const script = fileURLToPath(new URL('../support/hanging-run.ts', import.meta.url));
    const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning', script];
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    expect(stdout).toBe('RUN_TIME_LIMIT, stored: RUN_TIME_LIMIT\n');
  });

  it('does not keep the process alive after the run', async () => {
    const script = fileURLToPath(new URL('../support/hanging-run.ts', import.meta.url));
    const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning', script, 'answers'];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 100_000 });
    expect(stdout).toBe('no error, stored: nothing\n');
  });

  it('counts from the first read, also while the run waits for its session', async () => {
    const { runner } = createRealTimeSetup(
      agentOf('root', async function* () {
        await new Promise(() => {});
      }),
    );
    const first = outcomeOf(runner.runAsync({ ...hello, runConfig: { timeLimitMs: 200 } }));
    const late = runner.runAsync({ ...hello, runConfig: { timeLimitMs: 50 } });
    await pause(60);
    const before = performance.now();
    expect((await outcomeOf(late)).error?.code).toBe('RUN_TIME_LIMIT');
    expect(performance.now() - before).toBeGreaterThan(40);
    expect((await first).error?.code).toBe('RUN_TIME_LIMIT');
  });
});
