import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Agent, Event, Plugin } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const key = { appName: 'app', userId: 'ann', sessionId: 's' };
const hello = { userId: 'ann', sessionId: 's', newMessage: 'Hello' };

/** Returns a service that logs its calls under the names that `nameOf` returns, such as `append message` or `get`. */
function withCallLog<S extends object>(
  service: S,
  nameOf: (method: string, p: { event?: Event }) => string | undefined,
  log: string[],
): S {
  return new Proxy(service, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const name = nameOf(String(method), args[0] as { event?: Event });
        if (name) log.push(name);
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

function kindOf(event: Event): string {
  if (getFunctionCalls(event).length > 0) return 'call';
  if (getFunctionResponses(event).length > 0) return 'answer';
  return event.author === 'user' ? 'message' : 'text';
}

interface Setup {
  log: string[];
  runner: Runner;
  /** Sends one message and logs each event when the caller receives it. */
  run(): Promise<void>;
}

async function createSetup(agentFor: (log: string[]) => Agent, pluginFor?: (log: string[]) => Plugin): Promise<Setup> {
  const log: string[] = [];
  const sessions = new InMemorySessionService();
  await sessions.createSession(key);
  const sessionService = withCallLog(
    sessions,
    (method, { event }) => {
      if (method === 'getSession') return 'get';
      return method === 'appendEvent' ? `append ${kindOf(event!)}` : undefined;
    },
    log,
  );
  const memoryService = withCallLog(new InMemoryMemoryService(), (method) => method, log);
  const plugins = pluginFor ? [pluginFor(log)] : [];
  const runner = new Runner({ appName: 'app', agent: agentFor(log), sessionService, memoryService, plugins });
  const run = async (): Promise<void> => {
    for await (const event of runner.runAsync(hello)) log.push(`show ${kindOf(event)}`);
  };
  return { log, runner, run };
}

function loggingModel(log: string[]): ScriptedLlm {
  const logged =
    <T>(answer: T) =>
    (): T => {
      log.push('model');
      return answer;
    };
  return new ScriptedLlm(logged(calls('look', {}, 'c1')), logged(says('Seen.')), logged(says('Again.')));
}

const lookTool = (log: string[]): FunctionTool =>
  new FunctionTool({ name: 'look', description: 'Looks.', execute: () => void log.push('tool') });

// F348, with F006, F048, F063 and F114.
describe('example: the lifecycle of a run', () => {
  it('loads, stores the message, calls the model, stores, shows, runs the tool, and repeats (contracts 16, 23)', async () => {
    const { log, run } = await createSetup(
      (log) => new LlmAgent({ name: 'a', model: loggingModel(log), tools: [lookTool(log)] }),
    );
    await run();
    expect(log).toEqual([
      'get',
      'append message',
      'model',
      'append call',
      'show call',
      'tool',
      'append answer',
      'show answer',
      'model',
      'append text',
      'show text',
    ]);
  });

  it('reads nothing for a second turn if no other writer was active (contract 13)', async () => {
    const { log, run } = await createSetup(
      (log) => new LlmAgent({ name: 'a', model: loggingModel(log), tools: [lookTool(log)] }),
    );
    await run();
    log.length = 0;
    await run();
    expect(log).toEqual(['append message', 'model', 'append text', 'show text']);
  });

  // F114.
  it('neither searches nor writes memory unless a tool or callback does (contract 31)', async () => {
    const { log, run } = await createSetup(
      (log) => new LlmAgent({ name: 'a', model: loggingModel(log), tools: [lookTool(log)] }),
    );
    await run();
    expect(log.filter((step) => step.includes('Memory'))).toEqual([]);
  });

  // F349.
  it('stores an event before it is shown, and continues the agent after both (contract 16)', async () => {
    const { log, run } = await createSetup(() => ({
      name: 'a',
      async *runAsync(context) {
        const { invocationId, agentName: author, runtime } = context;
        const actions = {
          stateDelta: { step: 1 },
          artifactDelta: {},
          requestedAuthConfigs: {},
          requestedToolConfirmations: {},
        };
        const event = { id: runtime.newId('event'), invocationId, author, timestamp: runtime.now(), actions };
        const stored = yield { ...event, content: { role: 'model', parts: [{ text: 'One.' }] } };
        log.push(`agent continues: seq ${stored.seq}, step ${String(context.state.get('step'))}`);
      },
    }));
    await run();
    expect(log).toEqual(['get', 'append message', 'append text', 'show text', 'agent continues: seq 2, step 1']);
  });

  it('calls hooks in the order of the contract, plugins before the agent (contract 21)', async () => {
    const own = (log: string[]): Agent =>
      new LlmAgent({
        name: 'a',
        model: loggingModel(log),
        tools: [lookTool(log)],
        beforeAgentCallback: () => void log.push('own beforeAgent'),
        afterAgentCallback: () => void log.push('own afterAgent'),
        beforeModelCallback: () => void log.push('own beforeModel'),
        afterModelCallback: () => void log.push('own afterModel'),
        beforeToolCallback: () => void log.push('own beforeTool'),
        afterToolCallback: () => void log.push('own afterTool'),
      });
    const plugin = (log: string[]): Plugin => ({
      name: 'spy',
      onUserMessageCallback: () => void log.push('onUserMessage'),
      onEventCallback: ({ event }) => void log.push(`onEvent ${kindOf(event)}`),
      beforeRunCallback: () => void log.push('beforeRun'),
      beforeAgentCallback: () => void log.push('beforeAgent'),
      beforeModelCallback: () => void log.push('beforeModel'),
      afterModelCallback: () => void log.push('afterModel'),
      beforeToolCallback: () => void log.push('beforeTool'),
      afterToolCallback: () => void log.push('afterTool'),
      afterAgentCallback: () => void log.push('afterAgent'),
      afterRunCallback: () => void log.push('afterRun'),
    });
    const { log, run } = await createSetup(own, plugin);
    await run();
    expect(log).toEqual([
      ...['get', 'onUserMessage', 'onEvent message', 'append message', 'beforeRun'],
      ...['beforeAgent', 'own beforeAgent'],
      ...['beforeModel', 'own beforeModel', 'model', 'afterModel', 'own afterModel'],
      ...['onEvent call', 'append call', 'show call'],
      ...['beforeTool', 'own beforeTool', 'tool', 'afterTool', 'own afterTool'],
      ...['onEvent answer', 'append answer', 'show answer'],
      ...['beforeModel', 'own beforeModel', 'model', 'afterModel', 'own afterModel'],
      ...['onEvent text', 'append text', 'show text'],
      ...['afterAgent', 'own afterAgent', 'afterRun'],
    ]);
  });
});
