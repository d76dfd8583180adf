import { AgentTree, TholeError } from '@thole/core';
import { didYouMean, invalidInput, optionNames } from '@thole/core/kit';
import type { Agent, AgentCallback, Event, InvocationContext } from '@thole/core';
import type { OneOrMany } from '@thole/core/kit';

/** Options of every agent. */
export interface BaseAgentOptions {
  /** An identifier, unique in its tree, not `user`. */
  name: string;
  /** Tells other agents' models when to transfer to this agent. */
  description?: string | undefined;
  subAgents?: readonly Agent[] | undefined;
  /** If it returns a content, this content is the answer and the agent does not run. */
  beforeAgentCallback?: OneOrMany<AgentCallback> | undefined;
  /** If it returns a content, this content is added as a further answer. */
  afterAgentCallback?: OneOrMany<AgentCallback> | undefined;
}

/**
 * Base class for new kinds of agents. Validates the common options. The constructor throws `INVALID_INPUT` with
 * the name of an unknown or invalid option, and `DUPLICATE_NAME` if two agents of its tree have the same name.
 */
export abstract class BaseAgent implements Agent {
  readonly name: string;
  readonly description: string | undefined;
  readonly subAgents: readonly Agent[];
  readonly beforeAgentCallback: OneOrMany<AgentCallback> | undefined;
  readonly afterAgentCallback: OneOrMany<AgentCallback> | undefined;

  /** `ownOptions`: names of the options that the subclass adds. */
  constructor(options: BaseAgentOptions, ownOptions: readonly string[] = []) {
    if (typeof options !== 'object' || options === null) throw invalidInput("An agent's options", 'an object', options);
    for (const option of Object.keys(options)) {
      if (baseOptions.includes(option) || ownOptions.includes(option)) continue;
      throw new TholeError(
        'INVALID_INPUT',
        `Agent ${String(options.name)}: there is no option ${option}.${didYouMean(option, [...baseOptions, ...ownOptions])}`,
      );
    }
    this.name = options.name;
    this.description = checkOption(this, 'description', options.description, 'string');
    if (options.subAgents !== undefined && !Array.isArray(options.subAgents)) {
      throw invalidInput(`Agent ${options.name}: subAgents`, 'a list of agents', options.subAgents);
    }
    this.subAgents = Object.freeze([...(options.subAgents ?? [])]);
    this.beforeAgentCallback = checkCallback(this, 'beforeAgentCallback', options.beforeAgentCallback);
    this.afterAgentCallback = checkCallback(this, 'afterAgentCallback', options.afterAgentCallback);
    // Validates the names of this agent and of all agents below it.
    void new AgentTree(this);
  }

  abstract runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event>;
}

const baseOptions = optionNames<BaseAgentOptions>({
  name: true,
  description: true,
  subAgents: true,
  beforeAgentCallback: true,
  afterAgentCallback: true,
});

/**
 * Returns the value if it is undefined or of this type. Otherwise throws `INVALID_INPUT` with the names of agent and
 * option.
 */
export function checkOption<T>(agent: { name: string }, option: string, value: T, type: 'string' | 'boolean'): T {
  if (value === undefined || typeof value === type) return value;
  throw invalidInput(`Agent ${agent.name}: ${option}`, `a ${type}`, value);
}

/** Like `checkOption`, for a callback or a list of callbacks. */
export function checkCallback<T>(agent: { name: string }, option: string, value: T): T {
  const list: readonly unknown[] = value === undefined ? [] : Array.isArray(value) ? value : [value];
  for (const callback of list) {
    if (typeof callback === 'function') continue;
    throw invalidInput(`Agent ${agent.name}: ${option}`, 'a function or a list of functions', callback);
  }
  return value;
}
