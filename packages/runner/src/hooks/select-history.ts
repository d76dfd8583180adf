import type { Event, EventLog, InvocationContext, Plugin } from '@thole/core';
import { pluginFailed } from './call-hooks.ts';
import { isAnswer, problemWithAnswer } from './check-answer.ts';

const NAME = 'selectHistoryCallback';

/**
 * Returns the events for the prompt: the first result of a plugin. Undefined if no plugin returns one. Throws
 * `PLUGIN_FAILED` for an error of a plugin.
 */
export function selectHistory(
  plugins: readonly Plugin[],
  p: { invocationContext: InvocationContext; events: EventLog },
): readonly Event[] | { fromSeq: number } | undefined {
  for (const plugin of plugins) {
    let answer: readonly Event[] | { fromSeq: number } | undefined;
    try {
      answer = plugin.selectHistoryCallback?.(p);
    } catch (cause) {
      throw pluginFailed(plugin, NAME, p, { cause });
    }
    if (!isAnswer(NAME, answer)) continue;
    const problem = problemWithAnswer(NAME, answer);
    if (problem) throw pluginFailed(plugin, NAME, p, { problem });
    return answer;
  }
  return undefined;
}
