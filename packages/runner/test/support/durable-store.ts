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

/** Returns a store that outlives its runners: a runner that is closed leaves its invocations unfinished. */
export async function durableStore(): Promise<DurableStore> {
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

/** Runs until all work waits, and then closes the runner, as a process does that ends. */
export async function runAndClose(runner: Runner): Promise<void> {
  const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
  await settle();
  await runner.close();
  await run.done;
}

/** A tool whose first run never ends. */
export function stuck(more: Partial<Tool> = {}): { tool: Tool; runs: () => number } {
  let runs = 0;
  const tool = toolOf('pay', () => (++runs === 1 ? new Promise(() => {}) : { paid: true }), more);
  return { tool, runs: () => runs };
}
