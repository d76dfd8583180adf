import type { AgentTree, Event } from '@thole/core';
import { isBelow } from '../history/progress.ts';
import { segmentsOf } from '../history/turn-segments.ts';
import { isWorkflowAgent } from '../request/is-workflow-agent.ts';

/**
 * Returns the name of an agent that a resumed run needs to reach the agent of the request, and that the tree does not have at its
 * place: the agent that began the invocation, the target of a transfer, or an agent of a workflow. `events` are the visible events
 * of the invocation. `root` is the agent that continues it. Empty if the invocation is active.
 */
export function missingAgent(
  events: readonly Event[],
  request: Event,
  { root, tree }: { root: string; tree: AgentTree },
): string | undefined {
  return missingTarget(events, request, tree) ?? missingOnPath(request, root, tree);
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

function missingOnPath({ author, nodeInfo }: Event, root: string, tree: AgentTree): string | undefined {
  const names = namesOf(nodeInfo?.path ?? root);
  if (root !== '' && names[0] !== root) return names[0];
  // A workflow agent itself makes no requests.
  if (isWorkflowAgent(tree.find(names.at(-1)!))) return author;
  return names.find((name, i) => {
    const caller = i === 0 ? undefined : tree.find(names[i - 1]!);
    return isWorkflowAgent(caller) && !caller.subAgents?.some((agent) => agent.name === name);
  });
}

/** Returns the name of an agent that took over by a transfer in these events, and that the tree does not have. */
export function missingTransferTarget(events: readonly Event[], tree: AgentTree): string | undefined {
  const targets = events.map(({ actions }) => actions.transferToAgent);
  return targets.find((name) => name !== undefined && !tree.find(name));
}

/** Returns the names of the agents on a path, without the numbers of their calls. */
export function namesOf(path: string): string[] {
  return path.split('/').map((step) => step.replace(/#\d+$/, ''));
}
