import { TholeError } from '@thole/core';
import type { CallbackContext, MaybePromise, Plugin } from '@thole/core';
import type { OneOrMany } from '@thole/core/kit';
import { isAnswer, problemWithAnswer } from './check-answer.ts';
import { logFailure } from './log-failure.ts';

type HookName = Exclude<keyof Plugin, 'name' | 'close'>;
/** The parameters of a plugin's hook with this name. */
export type HookParams<N extends HookName> = Parameters<NonNullable<Plugin[N]>>[0];
type HookAnswer<N extends HookName> = Exclude<Awaited<ReturnType<NonNullable<Plugin[N]>>>, undefined | void>;

/** True if any plugin has this hook. Callers skip the work for hooks that no plugin has. */
export function hasHook(plugins: readonly Plugin[], name: HookName): boolean {
  return plugins.some((plugin) => plugin[name] !== undefined);
}

/**
 * Calls plugins in order and returns the first result. Throws `PLUGIN_FAILED` for an error of a plugin and for a result of
 * the wrong shape. If the signal is aborted when a plugin returns, throws its reason and calls no later plugin.
 */
export async function callPlugins<N extends HookName>(
  plugins: readonly Plugin[],
  name: N,
  params: HookParams<N>,
  signal?: AbortSignal,
): Promise<HookAnswer<N> | undefined> {
  return callPluginsMaybeSync(plugins, name, params, signal);
}

/** Like `callPlugins`, but synchronous if all plugins return synchronously; then it also throws synchronously. */
export function callPluginsMaybeSync<N extends HookName>(
  plugins: readonly Plugin[],
  name: N,
  params: HookParams<N>,
  signal?: AbortSignal,
): MaybePromise<HookAnswer<N> | undefined> {
  for (let i = 0; i < plugins.length; i++) {
    const plugin = plugins[i]!;
    if (!plugin[name]) continue;
    let answer: MaybePromise<unknown>;
    try {
      answer = (plugin[name] as (p: HookParams<N>) => MaybePromise<unknown>)(params);
    } catch (cause) {
      throw pluginFailed(plugin, name, params, { cause });
    }
    if (isPromise(answer)) return continueAsync(answer, plugins.slice(i), name, params, signal);
    signal?.throwIfAborted();
    if (isAnswer(name, answer)) return checkResult(plugin, name, params, answer);
  }
  return undefined;
}

async function continueAsync<N extends HookName>(
  first: PromiseLike<unknown>,
  plugins: readonly Plugin[],
  name: N,
  params: HookParams<N>,
  signal: AbortSignal | undefined,
): Promise<HookAnswer<N> | undefined> {
  let answer: unknown;
  try {
    answer = await first;
  } catch (cause) {
    throw pluginFailed(plugins[0]!, name, params, { cause });
  }
  signal?.throwIfAborted();
  if (isAnswer(name, answer)) return checkResult(plugins[0]!, name, params, answer);
  return callPluginsMaybeSync(plugins.slice(1), name, params, signal);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function checkResult<N extends HookName>(
  plugin: Plugin,
  name: N,
  params: HookParams<N>,
  answer: unknown,
): HookAnswer<N> | undefined {
  const problem = problemWithAnswer(name, answer);
  if (problem) throw pluginFailed(plugin, name, params, { problem });
  return answer as HookAnswer<N>;
}

/**
 * Returns the error of a plugin and logs it, unless the caller logs errors of this hook itself. `TOKEN_LIMIT` and `COST_LIMIT`
 * are returned unchanged: a reached limit is not a failure of the plugin.
 */
export function pluginFailed<N extends HookName>(
  plugin: Plugin,
  name: N,
  params: HookParams<N>,
  failure: { cause: unknown } | { problem: string },
): TholeError {
  if ('cause' in failure && (TholeError.is(failure.cause, 'TOKEN_LIMIT') || TholeError.is(failure.cause, 'COST_LIMIT')))
    return failure.cause;
  const error =
    'problem' in failure
      ? new TholeError('PLUGIN_FAILED', `Plugin ${plugin.name}: ${name} ${failure.problem}`)
      : new TholeError('PLUGIN_FAILED', `Plugin ${plugin.name} failed in ${name}.`, { cause: failure.cause });
  const contexts: { [context in 'callbackContext' | 'toolContext' | 'invocationContext']?: CallbackContext } = params;
  const context = contexts.callbackContext ?? contexts.toolContext ?? contexts.invocationContext;
  const isOnlyLogged = name === 'afterRunCallback' || name === 'onAgentErrorCallback' || name === 'onRunErrorCallback';
  if (context && !isOnlyLogged) logFailure(context, 'A plugin failed.', error, { plugin: plugin.name, callback: name });
  return error;
}

/**
 * Calls an agent's own callbacks in order and returns the first result. Throws `CALLBACK_FAILED` for an error of a callback
 * and for a result of the wrong shape. The first of `args` is the context, or an object with the context. The signal acts
 * as in `callPlugins`.
 */
export async function callCallbacks<A extends readonly unknown[], R>(
  callbacks: OneOrMany<(...args: A) => MaybePromise<R | undefined | void>> | null | undefined,
  source: { agentName: string; callback: string; signal?: AbortSignal | undefined },
  ...args: A
): Promise<R | undefined> {
  if (callbacks === undefined || callbacks === null) return undefined;
  for (const callback of typeof callbacks === 'function' ? [callbacks] : callbacks) {
    let answer: unknown;
    try {
      answer = await callback(...args);
    } catch (cause) {
      throw callbackFailed(source, args, { cause });
    }
    source.signal?.throwIfAborted();
    if (!isAnswer(source.callback, answer)) continue;
    const problem = problemWithAnswer(source.callback, answer);
    if (problem) throw callbackFailed(source, args, { problem });
    return answer as R;
  }
  return undefined;
}

function callbackFailed(
  { agentName, callback }: { agentName: string; callback: string },
  [first]: readonly unknown[],
  failure: { cause: unknown } | { problem: string },
): TholeError {
  const error =
    'problem' in failure
      ? new TholeError('CALLBACK_FAILED', `Agent ${agentName}: ${callback} ${failure.problem}`)
      : new TholeError('CALLBACK_FAILED', `Agent ${agentName} failed in ${callback}.`, { cause: failure.cause });
  const given = first as CallbackContext | { context: CallbackContext };
  logFailure('context' in given ? given.context : given, 'A callback failed.', error, { agent: agentName, callback });
  return error;
}

/** Returns the name of an agent's callback for `callCallbacks`. */
export function nameOf(
  agent: { name: string },
  callback: string,
  signal: AbortSignal,
): { agentName: string; callback: string; signal: AbortSignal } {
  return { agentName: agent.name, callback, signal };
}
