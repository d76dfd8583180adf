import type { Agent, MaybePromise } from '../agent/agent.ts';
import type { CallbackContext, InvocationContext, ToolContext } from '../agent/contexts.ts';
import type { EventLog } from '../agent/event-log.ts';
import type { Content } from '../content/content.ts';
import type { Event } from '../event/event.ts';
import type { JsonObject } from '../json/json.ts';
import type { LlmRequest } from '../model/llm-request.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { Tool } from '../tool/tool.ts';

type Hook<P, R = never> = (p: P) => MaybePromise<R | undefined | void>;

/**
 * Hooks for a whole app. They run in the order of the list, before the agents' own callbacks; the first answer wins. What a
 * hook throws fails the run with `PLUGIN_FAILED` (that of `afterRunCallback` is only logged).
 */
export interface Plugin {
  readonly name: string;
  /** The message may be replaced before it is stored. */
  onUserMessageCallback?: Hook<{ invocationContext: InvocationContext; userMessage: Content }, Content> | undefined;
  /** A content answers instead of the agent. */
  beforeRunCallback?: Hook<{ invocationContext: InvocationContext }, Content> | undefined;
  /** Every event, partials too, before it is stored and shown: an event replaces it, null drops it. */
  onEventCallback?: Hook<{ invocationContext: InvocationContext; event: Event }, Event | null> | undefined;
  afterRunCallback?: Hook<{ invocationContext: InvocationContext }> | undefined;
  /** Which events the prompt is made of; compaction records stay. Undefined: all. */
  selectHistoryCallback?:
    | ((p: {
        invocationContext: InvocationContext;
        events: EventLog;
      }) => readonly Event[] | { fromSeq: number } | undefined)
    | undefined;
  beforeAgentCallback?: Hook<{ agent: Agent; callbackContext: CallbackContext }, Content> | undefined;
  afterAgentCallback?: Hook<{ agent: Agent; callbackContext: CallbackContext }, Content> | undefined;
  /** May change the request; a response answers instead of the model. */
  beforeModelCallback?: Hook<{ callbackContext: CallbackContext; llmRequest: LlmRequest }, LlmResponse> | undefined;
  /** Partials too. */
  afterModelCallback?: Hook<{ callbackContext: CallbackContext; llmResponse: LlmResponse }, LlmResponse> | undefined;
  /** A response answers instead of the error. */
  onModelErrorCallback?:
    | Hook<{ callbackContext: CallbackContext; llmRequest: LlmRequest; error: Error }, LlmResponse>
    | undefined;
  /** May change the arguments; an object answers instead of the tool. */
  beforeToolCallback?: Hook<{ tool: Tool; toolArgs: JsonObject; toolContext: ToolContext }, JsonObject> | undefined;
  afterToolCallback?:
    | Hook<{ tool: Tool; toolArgs: JsonObject; toolContext: ToolContext; result: JsonObject }, JsonObject>
    | undefined;
  onToolErrorCallback?:
    | Hook<{ tool: Tool; toolArgs: JsonObject; toolContext: ToolContext; error: Error }, JsonObject>
    | undefined;
  /** Called when an agent throws, before the error goes up. Cannot answer; what it throws is only logged. */
  onAgentErrorCallback?: Hook<{ agent: Agent; callbackContext: CallbackContext; error: Error }> | undefined;
  /** Called once when the run fails, before its closing record is stored. Cannot answer; what it throws is only logged. */
  onRunErrorCallback?: Hook<{ invocationContext: InvocationContext; error: Error }> | undefined;
  /** When the runner is closed. */
  close?(): MaybePromise<void>;
}
