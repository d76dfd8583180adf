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
  /** Durable runs. Default: on. */
  resumability?: ResumabilityConfig | undefined;
  /**
   * Handling of a call with an unknown effect in a resumed run: the model learns it (`tell-model`), or a person decides whether
   * it runs again (`ask-person`). Default: `tell-model`.
   */
  onInDoubt?: 'tell-model' | 'ask-person' | undefined;
  /**
   * True to store an event when a tool starts. After a crash, a call without it never started and runs. Costs one append per
   * call. Tools with `requireConfirmation: true` do it always. Default: false.
   */
  journalToolStarts?: boolean | undefined;
  /** Time until an interrupt expires that has no time limit, in milliseconds. Default: none. */
  interruptTtlMs?: number | undefined;
  /** Effect of a new message on open interrupts of the session: `keep`, or `cancel` to close them. Default: `keep`. */
  onNewMessage?: 'keep' | 'cancel' | undefined;
  /** Returns the cost of one model call in any unit, for `runConfig.limits.cost`. `model` is the model's name. */
  costOf?: ((usage: Usage, model: string) => number) | undefined;
}

/** Controls durable runs. */
export interface ResumabilityConfig {
  /**
   * False: an answer to a call begins a new invocation at the agent that made the call, and nothing is stored for a resume.
   * Default: true.
   */
  isResumable?: boolean | undefined;
}
