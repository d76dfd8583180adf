import type {
  Agent,
  CallbackContext,
  Content,
  Event,
  InvocationContext,
  JsonObject,
  LlmRequest,
  LlmResponse,
  LogFields,
  Plugin,
  Tool,
  ToolContext,
} from '@thole/core';
import { getFunctionCalls, TholeError } from '@thole/core';

/** How much is logged, and the name by which errors know the plugin (`logging`). */
export interface LoggingPluginOptions {
  name?: string | undefined;
  /** Also logs messages, arguments and results (false): for development, they may hold what is private. */
  content?: boolean | undefined;
}

/** Tells the runtime's logger what a run does, at `info`, errors at `error`: ids, names and counts. It changes nothing. */
export class LoggingPlugin implements Plugin {
  readonly name: string;
  readonly #content: boolean;

  constructor(options: LoggingPluginOptions = {}) {
    this.name = options.name ?? 'logging';
    this.#content = options.content ?? false;
  }

  onUserMessageCallback({
    invocationContext,
    userMessage,
  }: {
    invocationContext: InvocationContext;
    userMessage: Content;
  }): void {
    this.#log(invocationContext, 'user message', { parts: userMessage.parts?.length ?? 0 }, userMessage);
  }

  beforeRunCallback({ invocationContext }: { invocationContext: InvocationContext }): void {
    this.#log(invocationContext, 'run begins', {});
  }

  onEventCallback({ invocationContext, event }: { invocationContext: InvocationContext; event: Event }): void {
    if (event.partial) return;
    const calls = getFunctionCalls(event).map(({ name }) => name);
    const { id: eventId, author, branch, errorCode } = event;
    this.#log(invocationContext, 'event', { eventId, author, branch, calls, errorCode }, event.content);
  }

  afterRunCallback({ invocationContext }: { invocationContext: InvocationContext }): void {
    this.#log(invocationContext, 'run has ended', {});
  }

  beforeAgentCallback({ callbackContext }: { agent: Agent; callbackContext: CallbackContext }): void {
    this.#log(callbackContext, 'agent begins', {});
  }

  afterAgentCallback({ callbackContext }: { agent: Agent; callbackContext: CallbackContext }): void {
    this.#log(callbackContext, 'agent has ended', {});
  }

  beforeModelCallback({
    callbackContext,
    llmRequest,
  }: {
    callbackContext: CallbackContext;
    llmRequest: LlmRequest;
  }): void {
    this.#log(callbackContext, 'model is asked', { contents: llmRequest.contents.length }, llmRequest);
  }

  afterModelCallback({
    callbackContext,
    llmResponse,
  }: {
    callbackContext: CallbackContext;
    llmResponse: LlmResponse;
  }): void {
    if (llmResponse.partial) return;
    const { finishReason, errorCode, modelVersion, usageMetadata } = llmResponse;
    const fields = { finishReason, errorCode, modelVersion, tokens: usageMetadata?.totalTokenCount };
    this.#log(callbackContext, 'model has answered', fields, llmResponse.content);
  }

  onModelErrorCallback({
    callbackContext,
    error,
  }: {
    callbackContext: CallbackContext;
    llmRequest: LlmRequest;
    error: Error;
  }): void {
    this.#logError(callbackContext, 'model failed', {}, error);
  }

  beforeToolCallback({
    tool,
    toolArgs,
    toolContext,
  }: {
    tool: Tool;
    toolArgs: JsonObject;
    toolContext: ToolContext;
  }): void {
    this.#log(toolContext, 'tool begins', callFields(tool, toolContext), toolArgs);
  }

  afterToolCallback(p: { tool: Tool; toolArgs: JsonObject; toolContext: ToolContext; result: JsonObject }): void {
    this.#log(p.toolContext, 'tool has answered', callFields(p.tool, p.toolContext), p.result);
  }

  onToolErrorCallback({
    tool,
    toolContext,
    error,
  }: {
    tool: Tool;
    toolArgs: JsonObject;
    toolContext: ToolContext;
    error: Error;
  }): void {
    this.#logError(toolContext, 'tool failed', callFields(tool, toolContext), error);
  }

  #log(context: CallbackContext, message: string, fields: LogFields, content?: unknown): void {
    context.runtime.logger.info(message, {
      ...idsOf(context),
      ...fields,
      ...(this.#content && content !== undefined && { content }),
    });
  }

  #logError(context: CallbackContext, message: string, fields: LogFields, error: Error): void {
    const code = TholeError.is(error) ? error.code : error.name;
    context.runtime.logger.error(message, {
      ...idsOf(context),
      ...fields,
      code,
      ...(this.#content && { content: error.message }),
    });
  }
}

function idsOf({ appName, userId, sessionId, invocationId, agentName }: CallbackContext): LogFields {
  return { appName, userId, sessionId, invocationId, agentName };
}

function callFields(tool: Tool, { functionCallId }: ToolContext): LogFields {
  return { tool: tool.name, functionCallId };
}
