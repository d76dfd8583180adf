import { createEvent } from '@thole/core';
import type {
  Agent,
  Event,
  InvocationContext,
  Lease,
  Llm,
  Session,
  SessionService,
  Tool,
  ToolContext,
} from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { expect } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';

/** Returns an agent with this generator function. */
export function agentOf(
  name: string,
  runAsync: (context: InvocationContext) => AsyncGenerator<Event, void, Event>,
  more: Partial<Agent> = {},
): Agent {
  return { name, runAsync, ...more };
}

/** Returns an agent that yields each text as a separate event. */
export function saying(name: string, ...texts: string[]): Agent {
  return agentOf(name, async function* (context) {
    for (const text of texts) yield says(context, text);
  });
}

export function says(context: InvocationContext, text: string, more: Partial<Event> = {}): Event {
  const { agentName, invocationId, runtime } = context;
  return createEvent(
    { author: agentName, invocationId, content: { role: 'model', parts: [{ text }] }, ...more },
    runtime,
  );
}

export const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
export const hello = { userId: 'ann', sessionId: 's', newMessage: 'hello' };

export interface TestSetup {
  runtime: FixedRuntime;
  service: InMemorySessionService;
  runner: Runner;
  /** Returns another runner with the same service. */
  newRunner(options?: Partial<RunnerOptions>): Runner;
  stored(): Promise<Session>;
}

/** Returns a runner with an in-memory service and one session. */
export async function createSetup(agent: Agent, options: Partial<RunnerOptions> = {}): Promise<TestSetup> {
  const runtime = new FixedRuntime();
  const service = new InMemorySessionService({ runtime });
  await service.createSession(ref);
  const newRunner = (more: Partial<RunnerOptions> = {}): Runner =>
    new Runner({ appName: 'app', agent, sessionService: service, runtime, ...options, ...more } as RunnerOptions);
  return { runtime, service, newRunner, runner: newRunner(), stored: async () => (await service.getSession(ref))! };
}

export function textsIn(events: readonly Event[]): string[] {
  return events.map(
    (event) =>
      (event.content?.parts ?? []).map((part) => part.text ?? '·').join('') || `(${event.errorCode ?? 'empty'})`,
  );
}

/** Returns a session service whose leases have these members. */
export function withChangedLease(
  service: SessionService,
  changes: Partial<Lease> | ((lease: Lease) => Partial<Lease>),
): SessionService {
  const leasing = service.leasing!;
  const changeLease = (lease: Lease): Lease => {
    const others = typeof changes === 'function' ? changes(lease) : changes;
    return new Proxy(lease, {
      get(target, name) {
        if (Object.hasOwn(others, name)) return others[name as keyof Lease];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
      },
    });
  };
  const lease: typeof leasing.lease = async (...p) => changeLease(await leasing.lease(...p));
  return new Proxy(service, {
    get(target, name) {
      if (name === 'leasing') return { ...leasing, lease };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
    },
  });
}

/** Returns a session service that counts reads and appends. */
export function withCounts(service: SessionService): {
  service: SessionService;
  reads: { afterSeq: number | undefined }[];
  appends: () => number;
} {
  const reads: { afterSeq: number | undefined }[] = [];
  let appends = 0;
  const counted = new Proxy(service, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (p: { afterSeq?: number }) => {
        if (name === 'getSession') reads.push({ afterSeq: p.afterSeq });
        if (name === 'appendEvent') appends++;
        return (value as (p: unknown) => unknown).call(target, p);
      };
    },
  });
  return { service: counted, reads, appends: () => appends };
}

/** Waits for all work that does not wait for the clock. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A tool that records its calls. */
export interface CountedTool extends Tool {
  runs: number;
  /** Arguments of each call. */
  args: unknown[];
}

/** Returns a `CountedTool` with this function. */
export function countedTool(name: string, run: (context: ToolContext) => Promise<unknown>): CountedTool {
  const tool: CountedTool = {
    name,
    description: name,
    runs: 0,
    args: [],
    declaration: () => ({ name, description: name }),
    runAsync: ({ args, toolContext }) => {
      tool.runs++;
      tool.args.push(args);
      return run(toolContext);
    },
  };
  return tool;
}

/** Returns an agent called `root`. */
export function agentWith(model: Llm, ...tools: Tool[]): LlmAgent {
  return new LlmAgent({ name: 'root', model, tools });
}

/** Expects that another run of the session answers `fine`. */
export async function expectNextTurn(setup: TestSetup, agent?: Parameters<typeof createSetup>[0]): Promise<void> {
  const runner = agent ? setup.newRunner({ agent } as never) : setup.runner;
  expect((await runner.runToCompletion({ ...hello, newMessage: 'and now?' })).text).toBe('fine');
}

/** Starts a run with `hello` and reads it. Returns the events read so far, and a promise that settles when the run has ended. */
export function readingOf(runner: Runner, more: object = {}): { events: Event[]; reading: Promise<void> } {
  return readAll(runner.runAsync({ ...hello, ...more }));
}

export function readAll(run: AsyncIterable<Event>): { events: Event[]; reading: Promise<void> } {
  const events: Event[] = [];
  const reading = (async () => {
    for await (const event of run) events.push(event);
  })();
  reading.catch(() => {});
  return { events, reading };
}
