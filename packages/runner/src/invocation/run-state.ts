import { TholeError } from '@thole/core';
import type { Agent, AgentTree } from '@thole/core';

/** The phases of a run, in their order. */
export type RunPhase = 'new' | 'open' | 'closing' | 'closed';

/**
 * The outcome of a run. `completed`: its agents have ended. `paused`: its agents wait for an answer from outside. `failed`: an
 * error stopped the run.
 */
export type RunOutcome =
  | { readonly status: 'completed' }
  | { readonly status: 'paused' }
  | { readonly status: 'failed'; readonly error: TholeError };

const completed: RunOutcome = { status: 'completed' };
const paused: RunOutcome = { status: 'paused' };

/**
 * The state machine of a run: new → open → closing → closed. A run that is stopped before it begins goes from new to closed.
 *
 * - `new`: not begun.
 * - `open`: waits for its session, then the agents run.
 * - `closing`: the last hooks run, and finished work and the closing record are stored.
 * - `closed`: the outcome is final, nothing more is stored, and the lease is being released. If another caller has added a
 *   message in the meantime, the lease is kept and the run is open again.
 */
export class RunState {
  readonly #invocationId: string;
  #phase: RunPhase = 'new';
  #error: TholeError | undefined;
  #outcome: RunOutcome | undefined;

  constructor(invocationId: string) {
    this.#invocationId = invocationId;
  }

  get phase(): RunPhase {
    return this.#phase;
  }
  /** The first error that stopped the run. */
  get error(): TholeError | undefined {
    return this.#error;
  }
  /** Undefined until the run is closed. */
  get outcome(): RunOutcome | undefined {
    return this.#outcome;
  }

  /** Returns false if the run is not new. */
  open(): boolean {
    if (this.#phase !== 'new') return false;
    this.#phase = 'open';
    return true;
  }

  /** Sets the error that the run ends with. Later errors are ignored. */
  fail(error: TholeError): void {
    this.#error ??= error;
  }

  /** Returns false if the run is not open. */
  beginClosing(): boolean {
    if (this.#phase !== 'open') return false;
    this.#phase = 'closing';
    return true;
  }

  /** Opens a closed run again before its lease is released. Returns false if the run is not closed, or has failed. */
  reopen(): boolean {
    if (this.#phase !== 'closed' || this.#error) return false;
    this.#phase = 'open';
    this.#outcome = undefined;
    return true;
  }

  /** Makes the outcome final. `isPaused`: the invocation waits for an answer from outside. */
  close({ isPaused }: { isPaused: boolean }): void {
    this.#phase = 'closed';
    if (this.#error) this.#outcome = { status: 'failed', error: this.#error };
    else this.#outcome = isPaused ? paused : completed;
  }

  /** Throws the error that stopped the run, or `CONTEXT_CLOSED` if it is closed. Does not throw while it closes: hooks run then. */
  throwIfStopped(): void {
    if (this.#error && this.#phase !== 'closing') throw this.#error;
    if (this.#phase === 'closed') {
      throw new TholeError('CONTEXT_CLOSED', `Invocation ${this.#invocationId} has ended.`);
    }
  }

  /** Throws `CONTEXT_CLOSED` if the run is closed. A property, because contexts pass it to their state as a function. */
  readonly assertOpen: () => void = () => {
    if (this.#phase !== 'closed') return;
    const message = `A context of invocation ${this.#invocationId} was used after its run had ended.`;
    throw new TholeError('CONTEXT_CLOSED', message);
  };
}

/** The agents that ran in a run. Finds the author of an event and the agent that failed. */
export class RunAgents {
  readonly #tree: AgentTree;
  /** Agents outside the tree that ran, by name. */
  #others: Map<string, Agent> | undefined;
  #current: Agent;
  #failure: { readonly error: unknown; readonly agent: Agent } | undefined;

  constructor(tree: AgentTree) {
    this.#tree = tree;
    this.#current = tree.root;
  }

  /** Author of the closing record: the agent that failed, else the agent that began last. */
  get currentAuthor(): string {
    return this.#current.name;
  }

  find(author: string): Agent | undefined {
    return this.#others?.get(author) ?? this.#tree.find(author);
  }

  /** Called when an agent begins. */
  setCurrent(agent: Agent): void {
    this.#current = agent;
    if (this.#tree.find(agent.name) !== agent) (this.#others ??= new Map()).set(agent.name, agent);
  }

  /** Called when an agent throws. The innermost agent reports an error first; the agents around it throw the same error. */
  recordFailure(agent: Agent, error: unknown): void {
    if (this.#failure?.error !== error) this.#failure = { error, agent };
  }

  /** Called with the error that ends the run. Makes the agent that threw it the current author. */
  setFinalError(error: unknown): void {
    const failure = this.#failure;
    if (failure && failure.error === error) this.#current = failure.agent;
  }
}

/** Returns a `TholeError` unchanged, and any other error as the cause of `AGENT_FAILED`. */
export function toRunError(error: unknown, agentName: string): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('AGENT_FAILED', `Agent ${agentName} threw an error. The cause is the original error.`, {
    cause: error,
  });
}

/** Returns the error of a run that its caller aborts. */
export function abortedError(invocationId: string, cause: unknown): TholeError {
  return new TholeError('RUN_ABORTED', `Invocation ${invocationId} was aborted.`, { cause });
}
