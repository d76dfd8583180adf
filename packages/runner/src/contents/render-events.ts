import type { Content, Event } from '@thole/core';
import type { ContentsRequest } from './contents-request.ts';
import { mergeTranscriptions } from './merge-transcriptions.ts';
import { pairAnswers } from './pair-answers.ts';
import { retellOthers } from './retell-others.ts';

/** Returns the contents of the events that the agent sees: the rules after the selection of events. */
export function renderEvents(events: readonly Event[], request: ContentsRequest): Content[] {
  const spoken = mergeTranscriptions(events);
  return pairAnswers(retellOthers(spoken, request.agentName), request);
}
