import { TholeError } from '@thole/core';
import { invalidInput, optionNames } from '@thole/core/kit';
import { resolvePlace } from './google-place.ts';
import { locationIn, resolveVertexPath } from './vertex-path.ts';
import type { VertexPath } from './vertex-path.ts';

/** Options that name an Agent Engine (Reasoning Engine). */
export interface AgentEngineOptions {
  /** Project id or number. Default: GOOGLE_CLOUD_PROJECT. */
  project?: string | undefined;
  /** Location such as `us-central1`. Default: GOOGLE_CLOUD_LOCATION. */
  location?: string | undefined;
  /**
   * Id or resource name of the Agent Engine, or a function that returns it for an app. Default: `appName` is the id
   * (digits) or the resource name, as in ADK.
   */
  agentEngineId?: string | ((appName: string) => string) | undefined;
}

/** The names of `AgentEngineOptions`. */
export const agentEngineOptionNames: readonly string[] = optionNames<AgentEngineOptions>({
  project: true,
  location: true,
  agentEngineId: true,
});

/** Name of the list of Agent Engines in paths. */
const COLLECTION = 'reasoningEngines';

/** Finds the Agent Engine of an app. */
export class AgentEngines {
  readonly #options: AgentEngineOptions;
  readonly #owner: string;

  constructor(options: AgentEngineOptions, owner: string) {
    const { agentEngineId } = options;
    if (agentEngineId !== undefined && typeof agentEngineId !== 'function' && typeof agentEngineId !== 'string')
      throw invalidInput(`agentEngineId of ${owner}`, 'a string or a function', agentEngineId);
    this.#options = options;
    this.#owner = owner;
    if (typeof agentEngineId === 'string') this.#pathOf(agentEngineId, 'agentEngineId');
    else if (options.project !== undefined && options.location !== undefined) resolvePlace(options, owner, {});
  }

  /** True if several apps may use one engine. Then sessions must record their app. */
  get mayBeShared(): boolean {
    return this.#options.agentEngineId !== undefined;
  }

  /** Returns the engine of an app. Throws `INVALID_INPUT` if `appName` is not an engine and `agentEngineId` is not set. */
  find(appName: string): VertexPath {
    const { agentEngineId } = this.#options;
    if (typeof agentEngineId === 'string') return this.#pathOf(agentEngineId, 'agentEngineId');
    if (typeof agentEngineId === 'function') return this.#pathOf(agentEngineId(appName), 'The result of agentEngineId');
    if (!/^\d+$/.test(appName) && locationIn(appName, COLLECTION) === undefined)
      throw new TholeError(
        'INVALID_INPUT',
        `appName must be the id of an Agent Engine (digits) or projects/…/locations/…/reasoningEngines/…, because agentEngineId of ${this.#owner} is not set.`,
      );
    return this.#pathOf(appName, 'appName');
  }

  /** Returns the engine to ping. Throws `INVALID_INPUT` if `appName` is missing and apps have different engines. */
  findToPing(appName: string | undefined): VertexPath {
    if (appName === undefined && typeof this.#options.agentEngineId !== 'string')
      throw new TholeError(
        'INVALID_INPUT',
        `ping of ${this.#owner} needs appName, because agentEngineId is not the name of one engine.`,
      );
    return this.find(appName ?? '');
  }

  #pathOf(engine: string, name: string): VertexPath {
    const path = resolveVertexPath(engine, COLLECTION, { options: this.#options, owner: this.#owner });
    if (path) return path;
    throw new TholeError(
      'INVALID_INPUT',
      `${name} must be the id of an Agent Engine or projects/…/locations/…/reasoningEngines/….`,
    );
  }
}

/** Returns the error for an engine that the service does not find. `cause` is the service's error. */
export function engineNotFound({ name }: VertexPath, cause: unknown): TholeError {
  const message = `The Agent Engine ${name} does not exist. Check agentEngineId or appName, the project and the location.`;
  return new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause });
}
