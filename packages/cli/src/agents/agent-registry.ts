import { TholeError } from '@thole/core';
import type { AgentLoader, LoadedAgent } from './agent-loader.ts';

/** What became of a look at the files. */
export interface RegisteredAgent {
  /** One of each file, in the order of their names: what it holds now, or held when it could last be loaded. */
  agents: readonly LoadedAgent[];
  /** Of files that could not be loaded. */
  errors: readonly unknown[];
}

/** Loads all agents of a place, again and again; what breaks meanwhile stays as it was. */
export class AgentRegistry {
  readonly #loader: AgentLoader;
  #agents: readonly LoadedAgent[] = [];

  constructor(loader: AgentLoader) {
    this.#loader = loader;
  }

  /** `DUPLICATE_NAME` where two files hold apps of one name; then nothing has changed. */
  async load(): Promise<RegisteredAgent> {
    this.#loader.renew();
    const place = await this.#loader.find();
    const agents: LoadedAgent[] = [];
    const errors: unknown[] = [];
    // One after the other: each reads the environment that its own `.env` has made.
    for (const found of place.agents) {
      let loaded: LoadedAgent | undefined;
      try {
        loaded = await this.#loader.load(found);
      } catch (error) {
        errors.push(error);
        loaded = this.#agents.find((each) => each.found.file === found.file);
      }
      if (loaded) agents.push(loaded);
    }
    refuseDuplicates(agents);
    this.#agents = agents;
    return { agents, errors };
  }
}

function refuseDuplicates(agents: readonly LoadedAgent[]): void {
  const files = new Map<string, string>();
  for (const { found, runner } of agents) {
    const other = files.get(runner.appName);
    if (other !== undefined) {
      throw new TholeError(
        'DUPLICATE_NAME',
        `Two apps are called ${runner.appName}: those of ${other} and ${found.file}.`,
      );
    }
    files.set(runner.appName, found.file);
  }
}
