import type { CallbackContext, LogFields, Plugin, Tool, ToolContext } from '@thole/core';
import { getFunctionCalls } from '@thole/core';
import { errorFields, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { HookParams } from '../hooks/call-hooks.ts';

/** Options of `LoggingPlugin`. The default of `name`, which errors contain, is `logging`. */
export interface LoggingPluginOptions {
  name?: string | undefined;
  /** True to log messages, arguments and results too, for development: they may be private. Default: false. */
  content?: boolean | undefined;
}

const names = optionNames<LoggingPluginOptions>({ name: true, content: true });

/**
 * Logs the steps of a run: ids, names and counts at `info`, errors with their messages and causes at `error`. Changes
 * nothing.
 */
export class LoggingPlugin implements Plugin {
  readonly name: string;
  readonly #content: boolean;

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: LoggingPluginOptions = {}) {
    rejectUnknownOptions(options, names, 'LoggingPlugin');
    const { name = 'logging', content = false } = options;
    // A string such as 'false' would log private content.
    if (typeof content !== 'boolean') throw invalidInput('content of LoggingPlugin', 'a boolean', content);
    this.name = name;
    this.#content = content;
  }

  onUserMessageCallback({ invocationContext, userMessage }: HookParams<'onUserMessageCallback'>): void {
    this.#log(invocationContext, 'user message', { parts: userMessage.parts?.length ?? 0 }, userMessage);
  }

  beforeRunCallback({ invocationContext }: HookParams<'beforeRunCallback'>): void {
    this.#log(invocationContext, 'run begins', {});
  }

  onEventCallback({ invocationContext, event }: HookParams<'onEventCallback'>): void {
    if (event.partial) return;
    const calls = getFunctionCalls(event).map(({ name }) => name);
    const { id: eventId, author, branch, errorCode } = event;
    this.#log(invocationContext, 'event', { eventId, author, branch, calls, errorCode }, event.content);
  }

  afterRunCallback({ invocationContext }: HookParams<'afterRunCallback'>): void {
    this.#log(invocationContext, 'run has ended', {});
  }

  beforeAgentCallback({ callbackContext }: HookParams<'beforeAgentCallback'>): void {
    this.#log(callbackContext, 'agent begins', {});
  }

  afterAgentCallback({ callbackContext }: HookParams<'afterAgentCallback'>): void {
    this.#log(callbackContext, 'agent has ended', {});
  }

  beforeModelCallback({ callbackContext, llmRequest }: HookParams<'beforeModelCallback'>): void {
    this.#log(callbackContext, 'model call starts', { contents: llmRequest.contents.length }, llmRequest);
  }

  afterModelCallback({ callbackContext, llmResponse }: HookParams<'afterModelCallback'>): void {
    if (llmResponse.partial) return;
    const { finishReason, errorCode, modelVersion, usageMetadata } = llmResponse;
    const fields = { finishReason, errorCode, modelVersion, tokens: usageMetadata?.totalTokenCount };
    this.#log(callbackContext, 'model call ends', fields, llmResponse.content);
  }

  onModelErrorCallback({ callbackContext, error }: HookParams<'onModelErrorCallback'>): void {
    this.#logError(callbackContext, 'model failed', {}, error);
  }

  beforeToolCallback({ tool, toolArgs, toolContext }: HookParams<'beforeToolCallback'>): void {
    this.#log(toolContext, 'tool begins', callFields(tool, toolContext), toolArgs);
  }

  afterToolCallback({ tool, toolContext, result }: HookParams<'afterToolCallback'>): void {
    this.#log(toolContext, 'tool has answered', callFields(tool, toolContext), result);
  }

  onToolErrorCallback({ tool, toolContext, error }: HookParams<'onToolErrorCallback'>): void {
    this.#logError(toolContext, 'tool failed', callFields(tool, toolContext), error);
  }

  #log(context: CallbackContext, message: string, fields: LogFields, content?: unknown): void {
    this.#write(context, 'info', message, { ...fields, ...(this.#content && content !== undefined && { content }) });
  }

  #logError(context: CallbackContext, message: string, fields: LogFields, error: Error): void {
    // Without stacks: the run itself has logged them.
    const { error: text, code = error.name, causes = [] } = errorFields(error);
    const chain = causes.length > 0 && { causes: causes.map((cause) => cause.error) };
    this.#write(context, 'error', message, { ...fields, code, error: text, ...chain });
  }

  #write(context: CallbackContext, level: 'info' | 'error', message: string, fields: LogFields): void {
    const { appName, userId, sessionId, invocationId, agentName, runtime } = context;
    try {
      runtime.logger[level](message, { appName, userId, sessionId, invocationId, agentName, ...fields });
    } catch {
      // A failing logger must not fail the run, and there is no other place to report it.
    }
  }
}

function callFields(tool: Tool, { functionCallId }: ToolContext): LogFields {
  return { tool: tool.name, functionCallId };
}
