import { TholeError } from '@thole/core';
import type { App, EnvVars, ModelFactory, Runtime } from '@thole/core';
import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { Runner } from '@thole/runner';
import type { Host } from '../host.ts';
import type { ServicesOnDemand } from '../services/open-services.ts';
import { errorLine } from '../terminal/error-line.ts';
import { AgentEnvironment } from './agent-environment.ts';
import { anthropicFactory } from './anthropic-factory.ts';
import { explainLoadError } from './explain-load-error.ts';
import { findAgents } from './find-agents.ts';
import type { AgentLocation, AgentModule } from './find-agents.ts';
import { ModuleLoader } from './module-loader.ts';
import { explainMissingAgent, readAgent } from './read-agent.ts';
import type { ExportedAgent } from './read-agent.ts';

/** A loaded agent with its runner. */
export interface LoadedAgent {
  module: AgentModule;
  runner: Runner;
  /** The app of the module. Undefined if the module exports a runner. */
  app?: App | undefined;
}

/** Options of `AgentLoader`. */
export interface AgentLoaderOptions {
  host: Pick<Host, 'cwd' | 'env' | 'errors' | 'importModule'>;
  location: AgentLocation;
  /** Services of apps. A runner has its own. */
  services: ServicesOnDemand;
  runtime: Runtime;
}

/** Loads agents from modules and creates their runners. */
export class AgentLoader {
  readonly #host: AgentLoaderOptions['host'];
  readonly #runtime: Runtime;
  readonly #services: ServicesOnDemand;
  readonly #modules: ModuleLoader;
  readonly #environment: AgentEnvironment;
  readonly #location: AgentLocation;

  constructor({ host, location, services, runtime }: AgentLoaderOptions) {
    this.#host = host;
    this.#runtime = runtime;
    this.#services = services;
    this.#location = location;
    this.#modules = new ModuleLoader({ root: location.root, importModule: host.importModule });
    this.#environment = new AgentEnvironment(host.env);
  }

  /** Makes later loads import the current content of the files. */
  invalidate(): void {
    this.#modules.invalidate();
  }

  /** Finds the agents that exist now, without loading them. */
  find(): Promise<AgentLocation> {
    return findAgents(this.#host.cwd, this.#location.path);
  }

  /**
   * Loads an agent. Returns undefined if a module with `isGuess` exports no agent. Errors name the file, and the line if it is
   * known; most have the code `INVALID_INPUT`.
   */
  async load(module: AgentModule): Promise<LoadedAgent | undefined> {
    const { root } = this.#location;
    const paths = { file: module.file, root, cwd: this.#host.cwd };
    const { agent, env, exports } = await this.#read(module, paths);
    if (agent?.kind === 'runner') return { module, runner: agent.runner };
    if (agent) {
      const services = await this.#services.get();
      const models = [...(agent.app.models ?? []), ...(await modelsOf(env, this.#runtime))];
      const app = { ...agent.app, models };
      try {
        return { module, runner: new Runner({ app, ...services, runtime: this.#runtime }), app };
      } catch (error) {
        throw explainLoadError(error, paths);
      }
    }
    if (module.isGuess) return undefined;
    throw explainLoadError(new TholeError('INVALID_INPUT', await explainMissingAgent(exports)), paths);
  }

  async #read(
    module: AgentModule,
    paths: { file: string; root: string; cwd: string },
  ): Promise<{ agent: ExportedAgent | undefined; env: EnvVars; exports: unknown }> {
    try {
      const env = await this.#environment.load([paths.cwd, paths.root, module.folder]);
      const exports = await this.#modules.load(module.file, (error) => {
        this.#host.errors.write(`error: ${errorLine(explainLoadError(error, paths))}\n`);
      });
      return { env, exports, agent: await readAgent(exports, module.name) };
    } catch (error) {
      throw explainLoadError(error, paths);
    }
  }

  close(): void {
    this.#modules.close();
  }
}

async function modelsOf(env: EnvVars, runtime: Runtime): Promise<ModelFactory[]> {
  return [geminiModels({ env, runtime }), openAiModels({ env, runtime }), await anthropicFactory({ env, runtime })];
}
