import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { InvocationContext, JsonObject, Plugin } from '@thole/core';
import { errorText } from '../flow/run-tool.ts';
import type { HookParams } from '../hooks/call-hooks.ts';

/** Options of `ReflectAndRetryToolPlugin`. The default of `name`, which errors contain, is `reflect_and_retry_tool`. */
export interface ReflectAndRetryToolPluginOptions {
  /** Maximum number of retries of a failed tool in one invocation. Default: 3. */
  maxRetries?: number | undefined;
  name?: string | undefined;
}

const names = optionNames<ReflectAndRetryToolPluginOptions>({ maxRetries: true, name: true });

/**
 * Answers the error of a tool with the error text and a request to try another way. After `maxRetries` failures of a tool, it
 * requests the model to stop. A success resets the count, and the end of the invocation removes it.
 */
export class ReflectAndRetryToolPlugin implements Plugin {
  readonly name: string;
  readonly #maxRetries: number;
  readonly #failures = new Map<string, Map<string, number>>();

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: ReflectAndRetryToolPluginOptions = {}) {
    rejectUnknownOptions(options, names, 'ReflectAndRetryToolPlugin');
    const { maxRetries = 3, name = 'reflect_and_retry_tool' } = options;
    assertCount('maxRetries', maxRetries);
    this.name = name;
    this.#maxRetries = maxRetries;
  }

  onToolErrorCallback({ tool, toolContext, error }: HookParams<'onToolErrorCallback'>): JsonObject {
    const failures = this.#failuresIn(toolContext.invocationId);
    const count = (failures.get(tool.name) ?? 0) + 1;
    failures.set(tool.name, count);
    const mayRetry = count <= this.#maxRetries;
    return {
      error: errorText(error, tool, toolContext as Partial<InvocationContext>),
      attempt: count,
      [GUIDANCE]: mayRetry
        ? `${tool.name} failed. Find out from the error what was wrong, then call it with other arguments or go another way; do not repeat the same call.`
        : `${tool.name} has failed ${count} times. Do not call it again: go on without it, or say what could not be done.`,
    };
  }

  afterToolCallback({ tool, toolContext, result }: HookParams<'afterToolCallback'>): void {
    if (!(GUIDANCE in result)) this.#failures.get(toolContext.invocationId)?.delete(tool.name);
  }

  afterRunCallback({ invocationContext }: HookParams<'afterRunCallback'>): void {
    this.#failures.delete(invocationContext.invocationId);
  }

  #failuresIn(invocationId: string): Map<string, number> {
    const known = this.#failures.get(invocationId) ?? new Map<string, number>();
    this.#failures.set(invocationId, known);
    return known;
  }
}

const GUIDANCE = 'whatToDoNow';
