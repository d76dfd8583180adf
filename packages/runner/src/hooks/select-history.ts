import { TholeError } from '@thole/core';
import type { Event, EventLog, InvocationContext, Plugin } from '@thole/core';

/** Which events the prompt is made of: the first plugin that says something has its way. `PLUGIN_FAILED` for what one throws. */
export function selectHistory(
  plugins: readonly Plugin[],
  p: { invocationContext: InvocationContext; events: EventLog },
): readonly Event[] | { fromSeq: number } | undefined {
  for (const plugin of plugins) {
    try {
      const answer = plugin.selectHistoryCallback?.(p);
      if (answer !== undefined) return answer;
    } catch (cause) {
      throw new TholeError('PLUGIN_FAILED', `Plugin ${plugin.name} failed in selectHistoryCallback.`, { cause });
    }
  }
  return undefined;
}
