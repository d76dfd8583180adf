import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemRuntime } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { answersIn, outcomeOf, toolOf } from '../support/llm-house.ts';
import { agentOf, hello, ref, says, settle } from '../support/runs.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** On the real clock, which fires a timer of more than 2^31 - 1 ms at once. */
function realHouse(
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

describe.each([Infinity, 2 ** 31, 1e12])('a limit of %d ms', (ms) => {
  it.each(['toolTimeoutMs', 'timeLimitMs', 'idleLimitMs', 'cleanupMs'] as const)('is no limit as %s', async (name) => {
    const tool = toolOf('work', () => pause(20));
    const model = new ScriptedLlm(calls('work'), answers('Done.'));
    const { runner } = realHouse(new LlmAgent({ name: 'root', model, tools: [tool] }));
    const { events, error } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { [name]: ms } }));
    expect(error).toBeUndefined();
    expect(answersIn(events)).toEqual([['work', { result: null }]]);
  });

  it('is no limit as timeoutMs of a tool, also where the run limits its tools', async () => {
    const tool = toolOf('work', () => pause(20), { timeoutMs: ms });
    const model = new ScriptedLlm(calls('work'), answers('Done.'));
    const { runner } = realHouse(new LlmAgent({ name: 'root', model, tools: [tool] }));
    const { events } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { toolTimeoutMs: 1 } }));
    expect(answersIn(events)).toEqual([['work', { result: null }]]);
  });

  it('is no limit as concurrency.waitMs', async () => {
    const goOn = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      await goOn.promise;
      yield says(context, 'Done.');
    });
    const { runner } = realHouse(agent, { waitMs: ms });
    const first = runner.runToCompletion(hello);
    await settle();
    const second = runner.runToCompletion(hello);
    await pause(20);
    goOn.resolve();
    expect([(await first).text, (await second).text]).toEqual(['Done.', 'Done.']);
  });

  it('gives a run that is aborted all its time to clean up, as cleanupMs', async () => {
    const agent = agentOf('root', async function* (context) {
      context.onClose(() =>
        pause(20)
          .then(() => context.commit(says(context, 'cleaned')))
          .then(() => {}),
      );
      yield says(context, 'one');
      await new Promise(() => {});
    });
    const { runner, service } = realHouse(agent);
    const run = runner.runAsync({ ...hello, runConfig: { cleanupMs: ms, reader: 'detached' } });
    await pause(5);
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
  it('holds the process until it fires, and the run ends with its error and record (contract 23)', async () => {
    const script = fileURLToPath(new URL('../support/hanging-run.ts', import.meta.url));
    const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning', script];
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    expect(stdout).toBe('RUN_TIME_LIMIT, stored: RUN_TIME_LIMIT\n');
  });

  it('holds the process no longer than the run', async () => {
    const script = fileURLToPath(new URL('../support/hanging-run.ts', import.meta.url));
    const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning', script, 'answers'];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 20_000 });
    expect(stdout).toBe('no error, stored: nothing\n');
  });

  it('counts from the first read, and while the run waits for its session', async () => {
    const { runner } = realHouse(
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
