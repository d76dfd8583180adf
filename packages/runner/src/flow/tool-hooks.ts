import { TholeError } from '@thole/core';
import { thawJson } from '@thole/core/kit';
import type { JsonObject, Tool, ToolContext } from '@thole/core';
import { callCallbacks, callPlugins } from '../hooks/call-hooks.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { readResult } from './read-result.ts';

/** One call of a tool, for hooks. */
export interface ToolCall {
  readonly tool: Tool;
  readonly toolArgs: JsonObject;
  readonly toolContext: ToolContext;
}

/** Calls the hooks before a tool. They may change the arguments; a returned object replaces the tool call. */
export async function beforeTool(
  { agent, context, support }: RequestDraft,
  { tool, toolArgs, toolContext }: ToolCall,
): Promise<JsonObject | undefined> {
  if (support.plugins.length === 0 && !agent.beforeToolCallback) return undefined;
  const { signal } = context;
  const answer =
    (await callPlugins(support.plugins, 'beforeToolCallback', { tool, toolArgs, toolContext }, signal)) ??
    (await callCallbacks(agent, 'beforeToolCallback', signal, { tool, args: toolArgs, context: toolContext }));
  return answer && readHookResult(answer, 'beforeToolCallback');
}

/** Calls the hooks after a tool and returns their answer. The caller must check that it is JSON. */
export async function afterTool(
  { agent, context, support }: RequestDraft,
  { tool, toolArgs, toolContext }: ToolCall,
  given: JsonObject,
): Promise<unknown> {
  if (support.plugins.length === 0 && !agent.afterToolCallback) return given;
  // A copy that hooks may change in place.
  const result = thawJson(given);
  const { signal } = context;
  const p = { tool, args: toolArgs, context: toolContext, response: result };
  return (
    (await callPlugins(support.plugins, 'afterToolCallback', { tool, toolArgs, toolContext, result }, signal)) ??
    (await callCallbacks(agent, 'afterToolCallback', signal, p)) ??
    result
  );
}

/** Returns the answer of hooks to a tool's error, if any. */
export async function onToolError(
  { agent, context, support }: RequestDraft,
  { tool, toolArgs, toolContext }: ToolCall,
  error: Error,
): Promise<JsonObject | undefined> {
  if (support.plugins.length === 0 && !agent.onToolErrorCallback) return undefined;
  const { signal } = context;
  const answer =
    (await callPlugins(support.plugins, 'onToolErrorCallback', { tool, toolArgs, toolContext, error }, signal)) ??
    (await callCallbacks(agent, 'onToolErrorCallback', signal, { tool, args: toolArgs, context: toolContext, error }));
  return answer && readHookResult(answer, 'onToolErrorCallback');
}

function readHookResult(answer: unknown, hook: string): JsonObject {
  try {
    return readResult(answer);
  } catch (cause) {
    throw new TholeError('CALLBACK_FAILED', `The result of a ${hook} is not JSON.`, { cause });
  }
}
