import { getFunctionResponses, TholeError } from '@thole/core';
import type { Agent, AgentTree, Content, EventLog } from '@thole/core';
import { newestFirst } from './apply-rewinds.ts';
import { recordedCall } from './recorded-call.ts';

/**
 * Who goes on with a message (contract 29): the agent whose recorded call it answers, else the last author who may be
 * resumed, else the root. The same whether the message is in the history already or not. Authors that are no agents of the
 * tree are passed over. Reads the history from its end, and only as far as it must.
 */
export function findAgentToRun(history: EventLog, tree: AgentTree, message: Content): Agent {
  for (const answer of getFunctionResponses({ content: message })) {
    const recorded = answer.id === undefined ? undefined : recordedCall(history, answer.id);
    const asked = recorded && tree.find(recorded.event.author);
    if (asked) return asked;
  }
  for (const event of newestFirst(history)) {
    const agent = tree.find(event.author);
    if (agent && isResumable(agent, tree)) return agent;
  }
  return tree.root;
}

/** Whether the agent and all above it may be resumed: below an agent with a plan of its own none may, also where that is the root. */
function isResumable(agent: Agent, tree: AgentTree): boolean {
  if (agent === tree.root) return true;
  for (let each: Agent | undefined = agent; each; each = tree.parentOf(each)) if (!each.resumable) return false;
  return true;
}

/**
 * Before the message is stored: `INVALID_INPUT` where it answers a call that was never recorded, was rewound, goes by
 * another name, or has its final answer already; or answers one call twice, or without an id (contract 28).
 */
export function assertAnswers(history: EventLog, message: Content): void {
  const answers = getFunctionResponses({ content: message });
  if (answers.length === 0) return;
  const seen = new Set<string>();
  for (const { id, name } of answers) {
    if (id === undefined) throw refused(`An answer to ${name} in the message must have the id of its call.`);
    if (seen.has(id)) throw refused(`The message answers the call ${id} twice.`);
    seen.add(id);
    const recorded = recordedCall(history, id);
    if (!recorded) throw refused(`The message answers the call ${id} of ${name}, but the session has no such call.`);
    if (recorded.call.name !== name)
      throw refused(`The message answers the call ${id} as ${name}, but it is a call of ${recorded.call.name}.`);
    if (recorded.isAnswered)
      throw refused(`The message answers the call ${id} of ${name}, which has its answer already.`);
  }
}

const refused = (message: string): TholeError => new TholeError('INVALID_INPUT', message);
