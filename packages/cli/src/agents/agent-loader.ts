import { TholeError } from '@thole/core';
import type { EnvVars, ModelFactory, Runtime } from '@thole/core';
import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { Runner } from '@thole/runner';
import type { Host } from '../host.ts';
import type { ServicesOnDemand } from '../services/open-services.ts';
import { AgentEnvironment } from './agent-environment.ts';
import { explainLoadError } from './explain-load-error.ts';
import { findAgents } from './find-agents.ts';
import type { AgentPlace, FoundAgent } from './find-agents.ts';
import { ModuleLoader } from './module-loader.ts';
import { readAgent } from './read-agent.ts';
import type { ReadAgent } from './read-agent.ts';

/** An agent that runs. */
export interface LoadedAgent {
  found: FoundAgent;
  runner: Runner;
}

/** Loads agents from files and makes runners of them. An app runs on the services given here, a runner on its own. */
export class AgentLoader {
  readonly #host: Pick<Host, 'cwd' | 'env' | 'importModule'>;
  readonly #runtime: Runtime;
  readonly #services: ServicesOnDemand;
  readonly #modules: ModuleLoader;
  readonly #environment: AgentEnvironment;
  readonly #place: AgentPlace;

  constructor(p: {
    host: Pick<Host, 'cwd' | 'env' | 'importModule'>;
    place: AgentPlace;
    services: ServicesOnDemand;
    runtime: Runtime;
  }) {
    this.#host = p.host;
    this.#runtime = p.runtime;
    this.#services = p.services;
    this.#place = p.place;
    this.#modules = new ModuleLoader({ root: p.place.root, importModule: p.host.importModule });
    this.#environment = new AgentEnvironment(p.host.env);
  }

  /** Looks at the files anew: what is loaded from now on is what they hold now. */
  renew(): void {
    this.#modules.renew();
  }

  /** The agents that there are now. */
  find(): Promise<AgentPlace> {
    return findAgents(this.#host.cwd, this.#place.path);
  }

  /** Undefined for a file that was only guessed to hold an agent. `INVALID_INPUT` and others name the file, and the line where there is one. */
  async load(found: FoundAgent): Promise<LoadedAgent | undefined> {
    const { root } = this.#place;
    const where = { file: found.file, root, cwd: this.#host.cwd };
    const { agent, env } = await this.#read(found, where);
    if (agent?.kind === 'runner') return { found, runner: agent.runner };
    if (agent) {
      const services = await this.#services.get();
      const app = { ...agent.app, models: [...(agent.app.models ?? []), ...modelsOf(env, this.#runtime)] };
      try {
        return { found, runner: new Runner({ app, ...services, runtime: this.#runtime }) };
      } catch (error) {
        throw explainLoadError(error, where);
      }
    }
    if (found.maybe) return undefined;
    const missing = new TholeError('INVALID_INPUT', 'it exports no rootAgent, app or runner, and no agent by default.');
    throw explainLoadError(missing, where);
  }

  async #read(
    found: FoundAgent,
    where: { file: string; root: string; cwd: string },
  ): Promise<{ agent: ReadAgent | undefined; env: EnvVars }> {
    try {
      const env = await this.#environment.load([where.cwd, where.root, found.folder]);
      return { env, agent: await readAgent(await this.#modules.load(found.file), found.name) };
    } catch (error) {
      throw explainLoadError(error, where);
    }
  }

  close(): void {
    this.#modules.close();
  }
}

function modelsOf(env: EnvVars, runtime: Runtime): ModelFactory[] {
  return [geminiModels({ env, runtime }), openAiModels({ env, runtime })];
}
