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

/** Asks plugins in order; the first answer wins. What one throws is `PLUGIN_FAILED`. */
export async function callPlugins<N extends HookName>(
  plugins: readonly Plugin[],
  name: N,
  params: HookParams<N>,
): Promise<HookAnswer<N> | undefined> {
  for (const plugin of plugins) {
    if (!plugin[name]) continue;
    try {
      const answer = await (plugin[name] as (p: HookParams<N>) => MaybePromise<unknown>)(params);
      if (answer !== undefined) return answer as HookAnswer<N>;
    } catch (cause) {
      throw new TholeError('PLUGIN_FAILED', `Plugin ${plugin.name} failed in ${name}.`, { cause });
    }
  }
  return undefined;
}

/** Calls an agent's own callbacks in order; the first answer wins. What one throws is `CALLBACK_FAILED`. */
export async function callCallbacks<A extends readonly unknown[], R>(
  callbacks: OneOrMany<(...args: A) => MaybePromise<R | undefined | void>> | undefined,
  of: { agentName: string; callback: string },
  ...args: A
): Promise<R | undefined> {
  if (callbacks === undefined) return undefined;
  for (const callback of typeof callbacks === 'function' ? [callbacks] : callbacks) {
    try {
      const answer = await callback(...args);
      if (answer !== undefined) return answer as R;
    } catch (cause) {
      throw new TholeError('CALLBACK_FAILED', `Agent ${of.agentName} failed in ${of.callback}.`, { cause });
    }
  }
  return undefined;
}
