import type { Agent, App, Event, SessionService, Tool } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { Runner } from '../../src/runner/runner.ts';
import { hello, ref, settle, toolOf } from './llm-setup.ts';

export interface DurableStore {
  runtime: FixedRuntime;
  sessions: InMemorySessionService;
  runnerOf(agent: Agent, app?: Partial<App>): Runner;
  events(): Promise<Event[]>;
}

/** Returns a durable store: a runner that is closed leaves its invocations unfinished. */
export async function createDurableStore(): Promise<DurableStore> {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const sessionService = Object.defineProperty(sessions, 'isDurable', { value: true }) as SessionService;
  await sessions.createSession(ref);
  return {
    runtime,
    sessions,
    runnerOf: (rootAgent, app = {}) => new Runner({ app: { name: 'app', rootAgent, ...app }, sessionService, runtime }),
    events: async () => (await sessions.getSession(ref))!.events,
  };
}

/** Starts a run, waits until all its work waits, and closes the runner, like a process that ends. */
export async function runAndClose(runner: Runner): Promise<void> {
  const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
  await settle();
  await runner.close();
  await run.done;
}

/** Returns a tool whose first run never ends, and the count of its runs. */
export function createStuckTool(more: Partial<Tool> = {}): { tool: Tool; runs: () => number } {
  let runs = 0;
  const tool = toolOf('pay', () => (++runs === 1 ? new Promise(() => {}) : { paid: true }), more);
  return { tool, runs: () => runs };
}
