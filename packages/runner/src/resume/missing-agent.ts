import type { AgentTree, Event } from '@thole/core';
import { isBelow } from '../history/progress.ts';
import { segmentsOf } from '../history/turn-segments.ts';
import { isWorkflowAgent } from '../request/is-workflow-agent.ts';

/**
 * Returns the name of an agent that a resumed run needs to reach the agent of the request, and that the tree does not have at its
 * place: the target of a transfer, or an agent of a workflow. `events` are the visible events of the invocation.
 */
export function missingAgent(events: readonly Event[], request: Event, tree: AgentTree): string | undefined {
  return missingTarget(events, request, tree) ?? missingSubAgent(request, tree);
}

function missingTarget(events: readonly Event[], request: Event, tree: AgentTree): string | undefined {
  const place = request.nodeInfo?.path ?? '';
  const byPlace = new Map<string | undefined, Event[]>();
  for (const event of events) {
    const path = event.nodeInfo?.path;
    if (event.author === 'user' || (path !== undefined && !isBelow(place, path))) continue;
    const found = byPlace.get(path);
    if (found) found.push(event);
    else byPlace.set(path, [event]);
    if (event.id === request.id) break;
  }
  for (const found of byPlace.values())
    for (const { transferTo } of segmentsOf(found))
      if (transferTo !== undefined && !tree.find(transferTo)) return transferTo;
  return undefined;
}

function missingSubAgent({ nodeInfo }: Event, tree: AgentTree): string | undefined {
  const names = nodeInfo?.path?.split('/').map((step) => step.replace(/#\d+$/, '')) ?? [];
  return names.find((name, i) => {
    const caller = i === 0 ? undefined : tree.find(names[i - 1]!);
    return isWorkflowAgent(caller) && !caller.subAgents?.some((agent) => agent.name === name);
  });
}
