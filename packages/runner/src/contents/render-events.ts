import type { Content, Event } from '@thole/core';
import type { ContentsRequest } from './contents-request.ts';
import { mergeTranscriptions } from './merge-transcriptions.ts';
import { pairAnswers } from './pair-answers.ts';
import { retellOthers } from './retell-others.ts';

/** Returns the contents of the selected events. Applies all rules that follow the selection. */
export function renderEvents(events: readonly Event[], request: ContentsRequest): Content[] {
  const spoken = mergeTranscriptions(events);
  return pairAnswers(retellOthers(spoken, request.agentName), request);
}
