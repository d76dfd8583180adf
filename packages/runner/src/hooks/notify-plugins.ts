import { errorFields } from '@thole/core/kit';
import type { Plugin } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import { hasHook } from './call-hooks.ts';
import type { HookParams } from './call-hooks.ts';
import type { LoggingContext } from './log-failure.ts';

/** Hooks without a result. */
type NotifyingHook = 'onAgentErrorCallback' | 'onRunErrorCallback' | 'onInterruptCallback';

/** Calls this hook of every plugin in order. An error is logged, and the next plugin is called. */
export async function notifyPlugins<N extends NotifyingHook>(
  { plugins, runtime, appName, userId, sessionId, invocationId }: LoggingContext & { plugins: readonly Plugin[] },
  name: N,
  params: HookParams<N>,
): Promise<void> {
  for (const plugin of plugins) {
    try {
      await (plugin[name] as ((p: HookParams<N>) => unknown) | undefined)?.call(plugin, params);
    } catch (error) {
      const where = { plugin: plugin.name, appName, userId, sessionId, invocationId };
      runtime.logger.warn(`${name} failed.`, { ...where, ...errorFields(error) });
    }
  }
}

/** Calls `onInterruptCallback` for these interrupts if they are open. */
export async function reportInterrupts(task: RunTask, ids: readonly string[]): Promise<void> {
  const { interrupts, opened, ref, runner } = task;
  if (!opened || task.isChild || !hasHook(runner.plugins, 'onInterruptCallback')) return;
  for (const id of ids) {
    const recorded = interrupts.find(id);
    if (!recorded?.isOpen) continue;
    const { rootContext: invocationContext } = opened;
    const { interrupt } = recorded;
    await notifyPlugins(invocationContext, 'onInterruptCallback', { interrupt, ref, invocationContext });
  }
}
