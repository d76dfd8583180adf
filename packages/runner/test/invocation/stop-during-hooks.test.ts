import { TholeError } from '@thole/core';
import type { Agent, LeaseRequest, Plugin, SchemaInput, SessionService, Tool, Toolset } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import type { Run } from '../../src/runner/run.ts';
import { Runner } from '../../src/runner/runner.ts';
import { outcomeOf, toolOf } from '../support/llm-setup.ts';
import { agentOf, hello, ref, settle } from '../support/setup.ts';

/** Passed to a case: a wait in its hook, and a record of the work that begins. */
interface Probe {
  /** Resolves after the run was stopped. */
  gate(): Promise<void>;
  begins(work: string): void;
}

interface Case {
  plugin?: Partial<Plugin>;
  agent?: Partial<LlmAgentOptions>;
  tool?: Tool | Toolset;
  firstAnswer?: ScriptedLlm;
  /** Replaces the agent with the model. */
  worker?: Agent;
}

const hooks: { [name: string]: (probe: Probe) => Case } = {
  'a plugin’s onUserMessageCallback': ({ gate }) => ({ plugin: { onUserMessageCallback: gate } }),
  'a plugin’s beforeRunCallback': ({ gate }) => ({ plugin: { beforeRunCallback: gate } }),
  'a plugin’s onEventCallback': ({ gate }) => ({ plugin: { onEventCallback: gate } }),
  'a plugin’s beforeAgentCallback': ({ gate }) => ({ plugin: { beforeAgentCallback: gate } }),
  'a plugin’s afterAgentCallback': ({ gate }) => ({ plugin: { afterAgentCallback: gate } }),
  'a plugin’s beforeModelCallback': ({ gate }) => ({ plugin: { beforeModelCallback: gate } }),
  'a plugin’s afterModelCallback': ({ gate }) => ({ plugin: { afterModelCallback: gate } }),
  'a plugin’s onModelErrorCallback': ({ gate }) => ({
    plugin: { onModelErrorCallback: async () => (await gate(), calls('work')) },
    firstAnswer: new ScriptedLlm(fails('MODEL_OVERLOADED')),
  }),
  'a plugin’s beforeToolCallback': ({ gate }) => ({ plugin: { beforeToolCallback: gate } }),
  'a plugin’s afterToolCallback': ({ gate }) => ({ plugin: { afterToolCallback: gate } }),
  'a plugin’s onToolErrorCallback': ({ gate }) => ({
    plugin: { onToolErrorCallback: async () => (await gate(), { handled: true }) },
    tool: toolOf('work', () => {
      throw new Error('broken');
    }),
  }),
  beforeAgentCallback: ({ gate }) => ({ agent: { beforeAgentCallback: gate } }),
  afterAgentCallback: ({ gate }) => ({ agent: { afterAgentCallback: gate } }),
  beforeModelCallback: ({ gate }) => ({ agent: { beforeModelCallback: gate } }),
  afterModelCallback: ({ gate }) => ({ agent: { afterModelCallback: gate } }),
  beforeToolCallback: ({ gate }) => ({ agent: { beforeToolCallback: gate } }),
  afterToolCallback: ({ gate }) => ({ agent: { afterToolCallback: gate } }),
  'a custom agent': ({ gate }) => ({
    worker: agentOf('worker', async function* () {
      await gate();
    }),
  }),
  'a tool that ignores its signal': ({ gate }) => ({ tool: toolOf('work', gate) }),
  'a tool that fails late': ({ gate }) => ({
    tool: toolOf('work', () => gate().then(() => Promise.reject(new Error('x')))),
  }),
  'an instruction function': ({ gate }) => ({ agent: { instruction: async () => (await gate(), 'Be kind.') } }),
  'getTools of a toolset': ({ gate, begins }) => ({
    tool: { getTools: async () => (await gate(), [toolOf('work', () => begins('execute'))]), close: async () => {} },
  }),
  'processLlmRequest of a tool': ({ gate, begins }) => ({
    tool: toolOf('work', () => begins('execute'), { processLlmRequest: gate }),
  }),
  'validation of a tool’s arguments': ({ gate, begins }) => ({
    tool: new FunctionTool({
      name: 'work',
      description: 'Works.',
      parameters: schemaOf(async (value) => (await gate(), { value })),
      execute: () => begins('execute'),
    }),
  }),
  'validation by an outputSchema': ({ gate }) => ({
    agent: { outputSchema: schemaOf(async () => (await gate(), { issues: [{ message: 'no' }] })) },
    firstAnswer: new ScriptedLlm(says('{}')),
  }),
};

const newerRun: LeaseRequest = {
  invocationId: 'newer',
  holder: 'another',
  policy: 'interrupt',
  maxWaiting: 16,
  waitMs: 30_000,
  cleanupMs: 5_000,
  ttlMs: 30_000,
  onEnd: () => {},
};

interface StopParams {
  sessions: SessionService;
  runner: Runner;
  run: Run;
  runtime: FixedRuntime;
  controller: AbortController;
  loseLease(): void;
}

const stops: { [name: string]: (p: StopParams) => unknown } = {
  'abort()': ({ run }) => run.abort(),
  abortSignal: ({ controller }) => controller.abort(),
  'return()': ({ run }) => run.return?.(),
  timeLimitMs: ({ runtime }) => runtime.advance(1_000),
  'a lost lease': ({ loseLease }) => loseLease(),
  'an interrupt': ({ sessions }) => sessions.leasing!.lease(ref, newerRun),
  'runner.close()': ({ runner }) => void runner.close(),
};

describe('A run that is stopped during a hook', () => {
  const all = Object.keys(hooks).flatMap((hook) => Object.keys(stops).map((stop) => [hook, stop] as const));
  it.each(all)('begins nothing after %s when it is stopped by %s (contracts 21, 23)', async (hook, stop) => {
    const gate = Promise.withResolvers<void>();
    const inHook = Promise.withResolvers<void>();
    const late: string[] = [];
    let isStopped = false;
    const probe: Probe = {
      gate: async () => {
        inHook.resolve();
        await gate.promise;
      },
      begins: (work) => void (isStopped && late.push(work)),
    };
    const begins = (): void => probe.begins('hook');
    const testCase = hooks[hook]!(probe);
    let requests = 0;
    const model = new (class extends ScriptedLlm {
      override async *generateContentAsync(...p: Parameters<ScriptedLlm['generateContentAsync']>) {
        probe.begins('model');
        yield* (
          requests++ === 0 ? (testCase.firstAnswer ?? new ScriptedLlm(calls('work'))) : new ScriptedLlm(says('Done.'))
        ).generateContentAsync(...p);
      }
    })();
    const worker =
      testCase.worker ??
      new LlmAgent({
        name: 'worker',
        model,
        tools: [testCase.tool ?? toolOf('work', () => probe.begins('execute'))],
        ...testCase.agent,
      });
    const after = agentOf('after', async function* () {
      probe.begins('agent');
    });
    const plugins: Plugin[] = [
      { name: 'gate', ...testCase.plugin },
      {
        name: 'next',
        beforeAgentCallback: begins,
        afterAgentCallback: begins,
        beforeModelCallback: begins,
        afterModelCallback: begins,
        onModelErrorCallback: begins,
        beforeToolCallback: begins,
        afterToolCallback: begins,
        onToolErrorCallback: begins,
        onAgentErrorCallback: begins,
      },
    ];
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    await sessions.createSession(ref);
    const { service, loseLease } = withLosableLease(sessions);
    const runner = new Runner({
      appName: 'app',
      agent: new SequentialAgent({ name: 'root', subAgents: [worker, after] }),
      sessionService: service,
      plugins,
      runtime,
    });
    const controller = new AbortController();
    const runConfig = { timeLimitMs: 1_000, reader: 'detached' as const };
    const run = runner.runAsync({ ...hello, abortSignal: controller.signal, runConfig });
    const reading = stop === 'return()' ? run.next().then(() => {}) : outcomeOf(run);
    await inHook.promise;
    isStopped = true;
    void stops[stop]!({ sessions, runner, run, runtime, controller, loseLease });
    await settle();
    gate.resolve();
    await settle();
    await runtime.advance(10_000);
    await reading;
    expect(late).toEqual([]);
  });
});

type Validated = { value: unknown } | { issues: { message: string }[] };

function schemaOf(validate: (value: unknown) => Promise<Validated>): SchemaInput {
  return { jsonSchema: { type: 'object' }, schema: { '~standard': { version: 1, vendor: 'test', validate } } };
}

/** Returns a service, and a function that reports its first lease as lost. */
function withLosableLease(sessions: SessionService): { service: SessionService; loseLease(): void } {
  const leasing = sessions.leasing!;
  let onEnd: ((error: TholeError) => void) | undefined;
  const lease: typeof leasing.lease = (key, request) => {
    onEnd ??= request.onEnd;
    return leasing.lease(key, request);
  };
  const service = new Proxy(sessions, {
    get(target, name) {
      if (name === 'leasing') return Object.assign(Object.create(leasing) as typeof leasing, { lease });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
    },
  });
  return { service, loseLease: () => onEnd?.(new TholeError('LEASE_LOST', 'The lease was lost.')) };
}
