import { TholeError } from '@thole/core';
import type { CallbackContext, MaybePromise, Plugin } from '@thole/core';
import type { OneOrMany } from '@thole/core/kit';
import { isAnswer, problemWithAnswer } from './check-answer.ts';
import { logFailure } from './log-failure.ts';

type HookName = Exclude<keyof Plugin, 'name' | 'close'>;
/** The parameters of a plugin's hook with this name. */
export type HookParams<N extends HookName> = Parameters<NonNullable<Plugin[N]>>[0];
type HookAnswer<N extends HookName> = Exclude<Awaited<ReturnType<NonNullable<Plugin[N]>>>, undefined | void>;

/** The error of a hook, or the problem with its result. */
type HookFailure = { cause: unknown } | { problem: string };

/** The function type of an agent's callback. */
type CallbackOf<T> = Extract<T, (arg: never) => unknown>;
type CallbackArg<T> = Parameters<CallbackOf<T>>[0];
type CallbackAnswer<T> = Exclude<Awaited<ReturnType<CallbackOf<T>>>, undefined | void>;

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
  failure: HookFailure,
): TholeError {
  if ('cause' in failure && (TholeError.is(failure.cause, 'TOKEN_LIMIT') || TholeError.is(failure.cause, 'COST_LIMIT')))
    return failure.cause;
  const error = hookError('PLUGIN_FAILED', `Plugin ${plugin.name}`, name, failure);
  const contexts: { [context in 'callbackContext' | 'toolContext' | 'invocationContext']?: CallbackContext } = params;
  const context = contexts.callbackContext ?? contexts.toolContext ?? contexts.invocationContext;
  const isOnlyLogged = name === 'afterRunCallback' || name === 'onAgentErrorCallback' || name === 'onRunErrorCallback';
  if (context && !isOnlyLogged) logFailure(context, 'A plugin failed.', error, { plugin: plugin.name, callback: name });
  return error;
}

/**
 * Calls the callbacks of an agent with this name in order and returns the first result. Throws `CALLBACK_FAILED` for an error of a
 * callback and for a result of the wrong shape. `arg` is the context, or an object with the context. The signal acts as in
 * `callPlugins`.
 */
export async function callCallbacks<A extends { readonly name: string }, N extends keyof A & string>(
  agent: A,
  name: N,
  signal: AbortSignal,
  arg: CallbackArg<A[N]>,
): Promise<CallbackAnswer<A[N]> | undefined> {
  const callbacks = agent[name] as OneOrMany<(arg: CallbackArg<A[N]>) => unknown> | null | undefined;
  if (callbacks === undefined || callbacks === null) return undefined;
  for (const callback of typeof callbacks === 'function' ? [callbacks] : callbacks) {
    let answer: unknown;
    try {
      answer = await callback(arg);
    } catch (cause) {
      throw callbackFailed(agent.name, name, arg, { cause });
    }
    signal.throwIfAborted();
    if (!isAnswer(name, answer)) continue;
    const problem = problemWithAnswer(name, answer);
    if (problem) throw callbackFailed(agent.name, name, arg, { problem });
    return answer as CallbackAnswer<A[N]>;
  }
  return undefined;
}

function callbackFailed(agentName: string, callback: string, arg: unknown, failure: HookFailure): TholeError {
  const error = hookError('CALLBACK_FAILED', `Agent ${agentName}`, callback, failure);
  const given = arg as CallbackContext | { context: CallbackContext };
  logFailure('context' in given ? given.context : given, 'A callback failed.', error, { agent: agentName, callback });
  return error;
}

function hookError(
  code: 'PLUGIN_FAILED' | 'CALLBACK_FAILED',
  owner: string,
  hook: string,
  failure: HookFailure,
): TholeError {
  if ('problem' in failure) return new TholeError(code, `${owner}: ${hook} ${failure.problem}`);
  return new TholeError(code, `${owner} failed in ${hook}.`, { cause: failure.cause });
}
