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
  /** Prompt caching of models that support it. Default: the provider's own caching. */
  contextCache?: ContextCacheOptions | undefined;
  /** Pausing and resuming of invocations. Default: on. */
  resumability?: ResumabilityConfig | undefined;
  /**
   * Handling of a call whose outcome is unknown in a resumed run. `tell-model`: the model receives the answer "outcome
   * unknown". `ask-person`: a person decides whether the call runs again. Default: `tell-model`.
   */
  onInDoubt?: 'tell-model' | 'ask-person' | undefined;
  /**
   * True to store an event when a tool starts. After a crash, a call without this event has not started, so it runs. Costs one
   * append per call. Always on for tools with `requireConfirmation: true`. Default: false.
   */
  journalToolStarts?: boolean | undefined;
  /** Time until an interrupt without its own time limit expires, in milliseconds. Default: none. */
  interruptTtlMs?: number | undefined;
  /** Effect of a new message on open interrupts of the session: `keep`, or `cancel` to close them. Default: `keep`. */
  onNewMessage?: 'keep' | 'cancel' | undefined;
  /** Returns the cost of one model call in any unit, for `runConfig.limits.cost`. `model` is the model's name. */
  costOf?: ((usage: Usage, model: string) => number) | undefined;
}

/** Controls whether invocations can pause and be resumed. */
export interface ResumabilityConfig {
  /**
   * If false, an answer to a call begins a new invocation at the agent that made the call, and nothing is stored for resuming.
   * Default: true.
   */
  isResumable?: boolean | undefined;
}
