import type { Event } from '../event/event.ts';
import type { ModelFactory } from '../model/model-factory.ts';
import type { Content } from '../content/content.ts';
import type { AgentTree } from './agent-tree.ts';
import type { CallbackContext, InvocationContext } from './contexts.ts';

/** What a callback may answer: the value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
/** One callback or a list: run in order, the first that answers something wins. */
export type OneOrMany<T> = T | readonly T[];

/** Before an agent: a content is the agent's answer, and the agent is not run. After: a content is added as one more answer. */
export type AgentCallback = (context: CallbackContext) => MaybePromise<Content | undefined | void>;

/**
 * Something that acts in a run. Strangers implement this; it is only ever extended. It reads a context and yields events;
 * `yield` answers the event as it was stored. It holds nothing of a run: one agent serves many at once.
 */
export interface Agent {
  /** An identifier (letters, digits, `_`), unique in its tree, neither `user` nor `system`. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly subAgents?: readonly Agent[] | undefined;
  /** May a later message go straight to this agent, or past it to one below (contract 29)? The root itself is always there for it. */
  readonly resumable?: boolean | undefined;
  readonly beforeAgentCallback?: OneOrMany<AgentCallback> | undefined;
  readonly afterAgentCallback?: OneOrMany<AgentCallback> | undefined;
  /** The last change to an own event before it is stored, after plugins have seen it. */
  beforeStore?(event: Event): void;
  /** When a runner is made: throws for what cannot work. */
  check?(p: { models: readonly ModelFactory[]; tree: AgentTree }): void;
  runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event>;
}
