import { StoredLeaseManager } from '@thole/core';
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

/** Gives the session to an invocation of a dead process, whose lease has not expired. Other processes know that it is dead. */
export async function leaseToDeadProcess(
  { runtime, sessions }: Pick<DurableStore, 'runtime' | 'sessions'>,
  invocationId: string,
): Promise<void> {
  const { store } = sessions.leasing as StoredLeaseManager;
  const [dead, alive] = ['dead', 'alive'].map(
    (own) => new StoredLeaseManager(store, runtime, { processes: { own, isDead: (name) => name === 'dead' } }),
  );
  const request = { invocationId, holder: 'crashed', waitMs: 0, maxWaiting: 0, ttlMs: 30_000, cleanupMs: 1_000 };
  await dead!.lease(ref, { ...request, policy: 'reject' });
  Object.defineProperty(sessions, 'leasing', { value: alive });
}

/** Returns a tool whose first run never ends, and the count of its runs. */
export function createStuckTool(more: Partial<Tool> = {}): { tool: Tool; runs: () => number } {
  let runs = 0;
  const tool = toolOf('pay', () => (++runs === 1 ? new Promise(() => {}) : { paid: true }), more);
  return { tool, runs: () => runs };
}
