import { TholeError } from '@thole/core';
import type { AgentLoader, LoadedAgent } from './agent-loader.ts';

/** The result of `AgentRegistry.load`. */
export interface LoadResult {
  /** One agent per file, ordered by name: the current version, or the last valid one. */
  agents: readonly LoadedAgent[];
  /** Errors of files that could not be loaded. */
  errors: readonly unknown[];
}

/**
 * Loads all agents of a location, once or several times. If a file becomes invalid, the last valid version of its agent is kept.
 */
export class AgentRegistry {
  readonly #loader: AgentLoader;
  #agents: readonly LoadedAgent[] = [];

  constructor(loader: AgentLoader) {
    this.#loader = loader;
  }

  /** Loads all agents. Throws `DUPLICATE_NAME`, and changes nothing, if two files have apps with the same name. */
  async load(): Promise<LoadResult> {
    this.#loader.invalidate();
    const { agents: modules } = await this.#loader.find();
    const agents: LoadedAgent[] = [];
    const errors: unknown[] = [];
    // Sequentially: each module reads the environment with its own `.env` file.
    for (const module of modules) {
      let loaded: LoadedAgent | undefined;
      try {
        loaded = await this.#loader.load(module);
      } catch (error) {
        errors.push(error);
        loaded = this.#agents.find((each) => each.module.file === module.file);
      }
      if (loaded) agents.push(loaded);
    }
    assertUniqueNames(agents);
    this.#agents = agents;
    return { agents, errors };
  }
}

function assertUniqueNames(agents: readonly LoadedAgent[]): void {
  const files = new Map<string, string>();
  for (const { module, runner } of agents) {
    const other = files.get(runner.appName);
    if (other !== undefined)
      throw new TholeError(
        'DUPLICATE_NAME',
        `Two apps have the name ${runner.appName}: in ${other} and in ${module.file}. Rename one of them.`,
      );
    files.set(runner.appName, module.file);
  }
}
