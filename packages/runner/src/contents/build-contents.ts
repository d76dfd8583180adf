import type { Content, Event } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
import { SessionLog } from '../history/session-log.ts';
import { applyCompactions, dropCompactions } from './apply-compactions.ts';
import { currentTurn } from './current-turn.ts';
import { includeEvents } from './include-events.ts';
import type { ContentsRequest } from './contents-request.ts';
import { renderEvents } from './render-events.ts';
import { selectEvents } from './select-events.ts';

/**
 * Returns the contents for an agent's model from the whole history (contract 17). `ContentsFold` returns the same at
 * lower cost. The array is new; its contents are frozen and share their parts with the events.
 */
export function buildContents(events: readonly Event[], request: ContentsRequest): Content[] {
  const included = includeEvents(applyRewinds(events), request.branch);
  const selected = selectEvents(included, request.selectHistory?.(new SessionLog(included)));
  if (request.includeContents === 'default') return renderEvents(applyCompactions(selected), request);
  const withoutSummaries = dropCompactions(selected);
  return renderEvents(currentTurn(withoutSummaries, request.agentName), request);
}
