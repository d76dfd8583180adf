import type { Event } from '../event/event.ts';
import type { ModelFactory } from '../model/model-factory.ts';
import type { Content } from '../content/content.ts';
import type { AgentTree } from './agent-tree.ts';
import type { CallbackContext, InvocationContext } from './contexts.ts';

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
/** One callback or a list. A list runs in order; the first result that is not undefined is used. */
export type OneOrMany<T> = T | readonly T[];

/**
 * A content that `beforeAgentCallback` returns is the agent's answer, and the agent does not run. A content that
 * `afterAgentCallback` returns is added as another answer. `T` is the type of the `deps` of a run: as in a tool, only
 * the caller of the run knows it, so an agent accepts a callback with any `T`.
 */
export type AgentCallback<T = unknown> = {
  // TypeScript compares the parameters of methods in both directions.
  call(context: CallbackContext<T>): MaybePromise<Content | undefined | void>;
}['call'];

/**
 * An agent that acts in a run. Others implement this interface, so it only ever gains optional members. An agent
 * reads a context and yields events; `yield` returns the stored event. It keeps no data of a run: one instance
 * serves many runs at the same time.
 */
export interface Agent {
  /** An identifier (letters, digits, `_` and `-`), unique in its tree, not `user` or `system`. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly subAgents?: readonly Agent[] | undefined;
  /**
   * True if a later message may go directly to this agent or to an agent below it (contract 29). Has no effect on the
   * root.
   */
  readonly resumable?: boolean | undefined;
  readonly beforeAgentCallback?: OneOrMany<AgentCallback> | undefined;
  readonly afterAgentCallback?: OneOrMany<AgentCallback> | undefined;
  /** Called with each event of this agent after the plugins and before the event is stored. May change the event. */
  beforeStore?(event: Event): void;
  /** Called when a runner is created. Throws if the agent cannot work in this tree. */
  check?(p: { models: readonly ModelFactory[]; tree: AgentTree }): void;
  runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event>;
}
