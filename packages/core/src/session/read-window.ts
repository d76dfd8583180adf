import { assertCount } from '../errors/assert-count.ts';
import { assertSeconds } from '../errors/assert-seconds.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import type { EventWindow } from './session.ts';

/** Returns the window of a request, from its own members or, as in ADK, from `config`. Undefined means all events. */
export function readWindow(request: EventWindow & { config?: EventWindow | undefined }): EventWindow | undefined {
  const { config = {} } = request;
  if (typeof config !== 'object' || config === null) throw invalidInput('config', 'an object', config);
  const window = { ...definedMembers(config), ...definedMembers(request) };
  const { numRecentEvents, afterTimestamp, afterSeq } = window;
  if (numRecentEvents !== undefined) assertCount('numRecentEvents', numRecentEvents);
  if (afterSeq !== undefined) assertCount('afterSeq', afterSeq);
  if (afterTimestamp !== undefined) assertSeconds('afterTimestamp', afterTimestamp);
  return Object.keys(window).length > 0 ? window : undefined;
}

function definedMembers(p: EventWindow): EventWindow {
  return {
    ...(p.numRecentEvents !== undefined && { numRecentEvents: p.numRecentEvents }),
    ...(p.afterTimestamp !== undefined && { afterTimestamp: p.afterTimestamp }),
    ...(p.afterSeq !== undefined && { afterSeq: p.afterSeq }),
  };
}
