import type { Runtime } from '@thole/core';
import { createHandler } from '@thole/server';
import type { Handler, HandlerOptions } from '@thole/server';
import type { LoadedAgent } from '../agents/agent-loader.ts';

/** A handler, its agents, and its pending requests. */
interface Generation {
  readonly handler: Handler;
  readonly agents: readonly LoadedAgent[];
  readonly pending: Set<Promise<unknown>>;
}

/**
 * A handler whose agents can be replaced: new requests use the newest agents, and active runs continue on the agents that they
 * started with.
 */
export class ReloadableHandler {
  readonly #options: Omit<HandlerOptions, 'apps'>;
  readonly #runtime: Runtime;
  /** Replaced agents that are not closed yet. */
  readonly #retiring: Set<LoadedAgent> = new Set();
  #current: Generation;

  /** Throws the errors of `createHandler`. */
  constructor(p: { agents: readonly LoadedAgent[]; options: Omit<HandlerOptions, 'apps'>; runtime: Runtime }) {
    this.#options = p.options;
    this.#runtime = p.runtime;
    this.#current = this.#createGeneration(p.agents);
  }

  /** The agents that are served now. */
  get agents(): readonly LoadedAgent[] {
    return this.#current.agents;
  }

  /** Returns a handler for `serve`. If `answerFirst` returns a response, the agents' handler is not called. */
  handler(answerFirst: (request: Request) => Response | undefined): Handler {
    const answer = async (request: Request): Promise<Response> => answerFirst(request) ?? this.#answer(request);
    return Object.assign(answer, {
      hasAuthorize: this.#current.handler.hasAuthorize,
      drain: (ms: number) => this.#current.handler.drain(ms),
      close: (p?: { timeoutMs?: number | undefined }) => this.#close(p?.timeoutMs),
    });
  }

  /**
   * Replaces the agents. Agents that are no longer served are closed when their runs have ended. Throws the errors of
   * `createHandler` before anything is changed.
   */
  replace(agents: readonly LoadedAgent[]): void {
    const previous = this.#current;
    this.#current = this.#createGeneration(agents);
    void this.#retire(
      previous,
      previous.agents.filter((each) => !agents.includes(each)),
    );
  }

  /** Aborts all active runs. */
  async abort(): Promise<void> {
    await this.#closeAgents([...this.#current.agents, ...this.#retiring]);
  }

  #answer(request: Request): Promise<Response> {
    const { handler, pending } = this.#current;
    const response = handler(request).finally(() => pending.delete(response));
    pending.add(response);
    return response;
  }

  async #close(timeoutMs: number | undefined): Promise<void> {
    await this.#current.handler.close({ timeoutMs });
    await this.abort();
  }

  async #retire(generation: Generation, agents: readonly LoadedAgent[]): Promise<void> {
    for (const each of agents) this.#retiring.add(each);
    // A pending request may still start a run.
    await Promise.allSettled(generation.pending);
    await Promise.all(agents.map(({ runner }) => runner.idle()));
    await this.#closeAgents(agents);
    for (const each of agents) this.#retiring.delete(each);
  }

  async #closeAgents(agents: readonly LoadedAgent[]): Promise<void> {
    for (const result of await Promise.allSettled(agents.map(({ runner }) => runner.close()))) {
      if (result.status === 'rejected')
        this.#runtime.logger.error('An agent could not be closed.', { error: result.reason });
    }
  }

  #createGeneration(agents: readonly LoadedAgent[]): Generation {
    const handler = createHandler({ ...this.#options, apps: agents.map(({ runner }) => runner) });
    return { handler, agents, pending: new Set() };
  }
}
