import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import type { Agent } from './agent.ts';

/**
 * A root agent and all agents below it, by name. Throws `INVALID_INPUT` for an invalid name and `DUPLICATE_NAME` for a
 * name that occurs twice.
 */
export class AgentTree {
  readonly root: Agent;
  readonly #byName = new Map<string, { agent: Agent; parent: Agent | undefined }>();

  constructor(root: Agent) {
    this.root = root;
    this.#add(root, undefined);
  }

  find(name: string): Agent | undefined {
    return this.#byName.get(name)?.agent;
  }

  parentOf(agent: Agent): Agent | undefined {
    return this.#byName.get(agent.name)?.parent;
  }

  /** Iterates over all agents, parents before children. */
  *[Symbol.iterator](): IterableIterator<Agent> {
    for (const { agent } of this.#byName.values()) yield agent;
  }

  #add(agent: Agent, parent: Agent | undefined): void {
    assertAgent(agent);
    if (this.#byName.has(agent.name)) {
      const placeBelow = (agent: Agent | undefined): string => (agent ? `below ${agent.name}` : 'the root');
      const first = placeBelow(this.#byName.get(agent.name)?.parent);
      throw new TholeError(
        'DUPLICATE_NAME',
        `Two agents are called ${agent.name}: ${first}, and ${placeBelow(parent)}.`,
      );
    }
    this.#byName.set(agent.name, { agent, parent });
    for (const child of agent.subAgents ?? []) this.#add(child, agent);
  }
}

/** Throws `INVALID_INPUT` unless the value is an object with `runAsync` and a valid agent name. */
export function assertAgent(agent: unknown): asserts agent is Agent {
  if (typeof agent !== 'object' || agent === null || typeof (agent as Agent).runAsync !== 'function') {
    throw invalidInput('An agent', 'an object with name and runAsync', agent);
  }
  assertAgentName((agent as Agent).name);
}

/** Throws `INVALID_INPUT` unless the name is an identifier other than the authors `user` and `system`. */
export function assertAgentName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw invalidInput("An agent's name", 'a string', name);
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(name)) {
    throw new TholeError(
      'INVALID_INPUT',
      `An agent's name must be an identifier (letters, digits, _ and -), not ${JSON.stringify(name)}.`,
    );
  }
  if (name === 'user')
    throw new TholeError(
      'INVALID_INPUT',
      `An agent must not be called 'user', which is the author of the user's messages. Choose another name.`,
    );
  if (name === 'system')
    throw new TholeError(
      'INVALID_INPUT',
      `An agent must not be called 'system', which is the author of writes outside a run. Choose another name.`,
    );
}
