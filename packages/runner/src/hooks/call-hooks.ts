import { TholeError } from '@thole/core';
import type { MaybePromise, OneOrMany, Plugin } from '@thole/core';

type HookName = Exclude<keyof Plugin, 'name' | 'close'>;
/** What a plugin's hook of this name is given. */
export type HookParams<N extends HookName> = Parameters<NonNullable<Plugin[N]>>[0];
type HookAnswer<N extends HookName> = Exclude<Awaited<ReturnType<NonNullable<Plugin[N]>>>, undefined | void>;

/** Whether any plugin has this hook: what nobody listens to is not prepared for. */
export function hasHook(plugins: readonly Plugin[], name: HookName): boolean {
  return plugins.some((plugin) => plugin[name] !== undefined);
}

/**
 * Asks plugins in order; the first answer wins. What one throws is `PLUGIN_FAILED`. With a signal, throws its reason if it is
 * aborted when a plugin answers: no later plugin is called then.
 */
export async function callPlugins<N extends HookName>(
  plugins: readonly Plugin[],
  name: N,
  params: HookParams<N>,
  signal?: AbortSignal,
): Promise<HookAnswer<N> | undefined> {
  return askPlugins(plugins, name, params, signal);
}

/** As `callPlugins`, with nothing to wait for where all of them answer at once; it then throws at once, too. */
export function askPlugins<N extends HookName>(
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
      throw pluginFailed(plugin, name, cause);
    }
    if (isPromise(answer)) return askOn(answer, plugins.slice(i), name, params, signal);
    signal?.throwIfAborted();
    if (answer !== undefined) return answer as HookAnswer<N>;
  }
  return undefined;
}

async function askOn<N extends HookName>(
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
    throw pluginFailed(plugins[0]!, name, cause);
  }
  signal?.throwIfAborted();
  if (answer !== undefined) return answer as HookAnswer<N>;
  return askPlugins(plugins.slice(1), name, params, signal);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function pluginFailed(plugin: Plugin, name: HookName, cause: unknown): TholeError {
  return new TholeError('PLUGIN_FAILED', `Plugin ${plugin.name} failed in ${name}.`, { cause });
}

/** Calls an agent's own callbacks in order; the first answer wins. What one throws is `CALLBACK_FAILED`. A signal acts as in `callPlugins`. */
export async function callCallbacks<A extends readonly unknown[], R>(
  callbacks: OneOrMany<(...args: A) => MaybePromise<R | undefined | void>> | undefined,
  of: { agentName: string; callback: string; signal?: AbortSignal | undefined },
  ...args: A
): Promise<R | undefined> {
  if (callbacks === undefined) return undefined;
  for (const callback of typeof callbacks === 'function' ? [callbacks] : callbacks) {
    let answer: R | undefined | void;
    try {
      answer = await callback(...args);
    } catch (cause) {
      throw new TholeError('CALLBACK_FAILED', `Agent ${of.agentName} failed in ${of.callback}.`, { cause });
    }
    of.signal?.throwIfAborted();
    if (answer !== undefined) return answer as R;
  }
  return undefined;
}
