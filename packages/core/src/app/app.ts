import type { Agent } from '../agent/agent.ts';
import type { ModelFactory } from '../model/model-factory.ts';
import type { ContextCacheOptions } from '../model/context-cache.ts';
import type { Usage } from '../model/llm-response.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { CompactionOptions } from './compaction.ts';

/** The agent, plugins and models that a runner or server runs, without the services. */
export interface App {
  name: string;
  rootAgent: Agent;
  plugins?: readonly Plugin[] | undefined;
  models?: readonly ModelFactory[] | undefined;
  /** First messages that a user interface may offer in a new session. Default: none. */
  suggestions?: readonly string[] | undefined;
  /** Summarizes older events of a session after a run. Default: nothing is summarized. */
  compaction?: CompactionOptions | undefined;
  /** Prompt caching of models that support it. Default: what the provider does by itself. */
  contextCache?: ContextCacheOptions | undefined;
  /** Returns the cost of one model call in any unit, for `runConfig.limits.cost`. `model` is the model's name. */
  costOf?: ((usage: Usage, model: string) => number) | undefined;
}
