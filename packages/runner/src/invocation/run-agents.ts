import type { Agent, AgentTree } from '@thole/core';

/** The agents that ran in a run: which of them is the author of an event, and which of them failed. */
export class RunAgents {
  readonly #tree: AgentTree;
  /** Agents that ran and are not in the tree, by name. */
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
  begins(agent: Agent): void {
    this.#current = agent;
    if (this.#tree.find(agent.name) !== agent) (this.#others ??= new Map()).set(agent.name, agent);
  }

  /** Called when an agent throws. The innermost agent reports an error first; the agents around it throw the same error. */
  failed(agent: Agent, error: unknown): void {
    if (this.#failure?.error !== error) this.#failure = { error, agent };
  }

  /** Called with the error that ends the run. */
  endWith(error: unknown): void {
    const failure = this.#failure;
    if (failure && failure.error === error) this.#current = failure.agent;
  }
}
