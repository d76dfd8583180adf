import type { Event, EventLog, InvocationContext, Plugin } from '@thole/core';
import { pluginFailed } from './call-hooks.ts';
import { isAnswer, problemWithAnswer } from './check-answer.ts';

const NAME = 'selectHistoryCallback';

/** Returns which events the prompt is made of: the answer of the first plugin that has one. `PLUGIN_FAILED` for what one throws. */
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
