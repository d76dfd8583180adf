import { hasHook } from '../hooks/call-hooks.ts';
import { notifyPlugins } from '../hooks/notify-plugins.ts';
import type { RunTask } from './run-task.ts';

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
