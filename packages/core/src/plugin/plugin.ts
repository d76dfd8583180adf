import type { Agent, MaybePromise } from '../agent/agent.ts';
import type { CallbackContext, InvocationContext, ToolContext } from '../agent/contexts.ts';
import type { EventLog } from '../agent/event-log.ts';
import type { Content } from '../content/content.ts';
import type { Event } from '../event/event.ts';
import type { Interrupt } from '../interrupt/interrupt.ts';
import type { JsonObject } from '../json/json.ts';
import type { LlmRequest } from '../model/llm-request.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { SessionRef } from '../session/session.ts';
import type { Tool } from '../tool/tool.ts';

// A method, so that the parameter of a hook may be a context with the type of its `deps`.
type Hook<P, R = never> = { call(p: P): MaybePromise<R | undefined | void> }['call'];

/**
 * Hooks for a whole app. They run in the order of the list, before the agents' own callbacks; the first result that
 * is not undefined is used. An error thrown by a hook fails the run with `PLUGIN_FAILED`; an error of
 * `afterRunCallback` is only logged.
 */
export interface Plugin {
  readonly name: string;
  /** Called before the user's message is stored. A returned content replaces it. */
  onUserMessageCallback?: Hook<{ invocationContext: InvocationContext; userMessage: Content }, Content> | undefined;
  /** Called before the agent runs. A returned content is the answer, and the agent does not run. */
  beforeRunCallback?: Hook<{ invocationContext: InvocationContext }, Content> | undefined;
  /**
   * Called for every event, including partials, before it is stored and shown. A returned event replaces it; null
   * drops it.
   */
  onEventCallback?: Hook<{ invocationContext: InvocationContext; event: Event }, Event | null> | undefined;
  /** The last hook of a run. Cannot return a result. */
  afterRunCallback?: Hook<{ invocationContext: InvocationContext }> | undefined;
  /** Returns the events that the prompt contains, or undefined for all events. Compaction records always stay. */
  selectHistoryCallback?:
    | ((p: {
        invocationContext: InvocationContext;
        events: EventLog;
      }) => readonly Event[] | { fromSeq: number } | undefined)
    | undefined;
  beforeAgentCallback?: Hook<{ agent: Agent; callbackContext: CallbackContext }, Content> | undefined;
  afterAgentCallback?: Hook<{ agent: Agent; callbackContext: CallbackContext }, Content> | undefined;
  /** May change the request. A returned response replaces the model call. */
  beforeModelCallback?: Hook<{ callbackContext: CallbackContext; llmRequest: LlmRequest }, LlmResponse> | undefined;
  /** Called for partial responses too. */
  afterModelCallback?: Hook<{ callbackContext: CallbackContext; llmResponse: LlmResponse }, LlmResponse> | undefined;
  /** A returned response replaces the error. */
  onModelErrorCallback?:
    | Hook<{ callbackContext: CallbackContext; llmRequest: LlmRequest; error: Error }, LlmResponse>
    | undefined;
  /** May change the arguments. A returned object replaces the tool call. */
  beforeToolCallback?: Hook<{ tool: Tool; toolArgs: JsonObject; toolContext: ToolContext }, JsonObject> | undefined;
  afterToolCallback?:
    | Hook<{ tool: Tool; toolArgs: JsonObject; toolContext: ToolContext; result: JsonObject }, JsonObject>
    | undefined;
  onToolErrorCallback?:
    | Hook<{ tool: Tool; toolArgs: JsonObject; toolContext: ToolContext; error: Error }, JsonObject>
    | undefined;
  /**
   * Called when an agent throws, before the error is passed on. Cannot return a result; its own errors are only
   * logged.
   */
  onAgentErrorCallback?: Hook<{ agent: Agent; callbackContext: CallbackContext; error: Error }> | undefined;
  /**
   * Called once when the run fails, before its closing record is stored. Cannot return a result; its own errors are
   * only logged.
   */
  onRunErrorCallback?: Hook<{ invocationContext: InvocationContext; error: Error }> | undefined;
  /**
   * Called after a request for an answer from outside is stored, at least once. Cannot return a result; its own errors are
   * only logged.
   */
  onInterruptCallback?:
    | Hook<{ interrupt: Interrupt; ref: SessionRef; invocationContext: InvocationContext }>
    | undefined;
  /** Called when the runner is closed. */
  close?(): MaybePromise<void>;
}
