import type { Runtime } from '@thole/core';
import { createHandler } from '@thole/server';
import type { Handler, HandlerOptions } from '@thole/server';
import type { LoadedAgent } from '../agents/agent-loader.ts';

/** A handler with the agents it serves, and the requests that it has not answered yet. */
interface Generation {
  readonly handler: Handler;
  readonly agents: readonly LoadedAgent[];
  readonly pending: Set<Promise<unknown>>;
}

/** One handler after the other: requests go to the newest, and what runs on an older one ends there. */
export class ReloadableHandler {
  readonly #options: Omit<HandlerOptions, 'apps'>;
  readonly #runtime: Runtime;
  readonly #retiring: Set<LoadedAgent> = new Set();
  #current: Generation;

  /** As `createHandler`. */
  constructor(p: { agents: readonly LoadedAgent[]; options: Omit<HandlerOptions, 'apps'>; runtime: Runtime }) {
    this.#options = p.options;
    this.#runtime = p.runtime;
    this.#current = this.#make(p.agents);
  }

  /** What is served now. */
  get agents(): readonly LoadedAgent[] {
    return this.#current.agents;
  }

  /** As a handler that `serve` takes; `before` may answer a request instead. */
  handler(before: (request: Request) => Response | undefined): Handler {
    const answer = async (request: Request): Promise<Response> => before(request) ?? this.#answer(request);
    return Object.assign(answer, {
      guarded: this.#current.handler.guarded,
      drain: (ms: number) => this.#current.handler.drain(ms),
      close: (p?: { timeoutMs?: number | undefined }) => this.#close(p?.timeoutMs),
    });
  }

  /** Serves these from now on. Agents that are not among them are closed when their runs have ended. As `createHandler`; then nothing has changed. */
  replace(agents: readonly LoadedAgent[]): void {
    const old = this.#current;
    this.#current = this.#make(agents);
    void this.#retire(
      old,
      old.agents.filter((each) => !agents.includes(each)),
    );
  }

  /** Aborts whatever runs. */
  async abort(): Promise<void> {
    await this.#closeAgents([...this.#current.agents, ...this.#retiring]);
  }

  #answer(request: Request): Promise<Response> {
    const { handler, pending } = this.#current;
    const answered = handler(request).finally(() => pending.delete(answered));
    pending.add(answered);
    return answered;
  }

  async #close(timeoutMs: number | undefined): Promise<void> {
    await this.#current.handler.close({ timeoutMs });
    await this.abort();
  }

  async #retire(generation: Generation, gone: readonly LoadedAgent[]): Promise<void> {
    for (const each of gone) this.#retiring.add(each);
    // A request on its way may still begin a run.
    await Promise.allSettled(generation.pending);
    await Promise.all(gone.map(({ runner }) => runner.idle()));
    await this.#closeAgents(gone);
    for (const each of gone) this.#retiring.delete(each);
  }

  async #closeAgents(agents: readonly LoadedAgent[]): Promise<void> {
    for (const closing of await Promise.allSettled(agents.map(({ runner }) => runner.close()))) {
      if (closing.status === 'rejected')
        this.#runtime.logger.error('An agent could not be closed.', { error: String(closing.reason) });
    }
  }

  #make(agents: readonly LoadedAgent[]): Generation {
    const handler = createHandler({ ...this.#options, apps: agents.map(({ runner }) => runner) });
    return { handler, agents, pending: new Set() };
  }
}
