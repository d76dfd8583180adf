import { getFunctionResponses, TholeError } from '@thole/core';
import type { Agent, AgentTree, Content, EventLog } from '@thole/core';
import { newestFirst } from '@thole/core/kit';
import { recordedCall } from './recorded-call.ts';

/**
 * Returns the agent that answers a message (contract 29): the agent whose call the message answers, else the last author that
 * is resumable, else the root agent. The result does not depend on whether the history contains the message. Reads the
 * history from its end, only as far as necessary.
 */
export function findAgentToRun(history: EventLog, tree: AgentTree, message: Content): Agent {
  for (const answer of getFunctionResponses({ content: message })) {
    const recorded = answer.id === undefined ? undefined : recordedCall(history, answer.id);
    const caller = recorded && tree.find(recorded.event.author);
    if (caller) return caller;
  }
  for (const event of newestFirst(history)) {
    const agent = tree.find(event.author);
    if (agent && isResumable(agent, tree)) return agent;
  }
  return tree.root;
}

/** True if the agent and all agents above it are resumable. Workflow agents are not: they always start with their first agent. */
function isResumable(agent: Agent, tree: AgentTree): boolean {
  if (agent === tree.root) return true;
  for (let each: Agent | undefined = agent; each; each = tree.parentOf(each)) if (!each.resumable) return false;
  return true;
}

/**
 * Throws `INVALID_INPUT` for a wrong answer in the message (contract 28). An answer needs an id, may occur once, and has the name of
 * its call. The call must be in the history, long-running, and without a final answer. Called before the message is stored.
 */
export function assertAnswers(history: EventLog, message: Content): void {
  const answers = getFunctionResponses({ content: message });
  if (answers.length === 0) return;
  const seen = new Set<string>();
  for (const { id, name } of answers) {
    if (id === undefined)
      throw invalid(`A function response in newMessage has no id. Set the id of the call of "${name}".`);
    if (seen.has(id)) throw invalid(`newMessage answers call "${id}" twice.`);
    seen.add(id);
    const recorded = recordedCall(history, id);
    const answered = `newMessage answers call "${id}" of "${name}"`;
    if (!recorded) throw invalid(`${answered}, but the session does not contain this call.`);
    if (recorded.call.name !== name) throw invalid(`${answered}, but the call is a call of "${recorded.call.name}".`);
    if (recorded.isAnswered) throw invalid(`${answered}, but the call has its final answer already.`);
    if (!recorded.isLongRunning) throw invalid(`${answered}, but only calls of long-running tools accept an answer.`);
  }
}

const invalid = (message: string): TholeError => new TholeError('INVALID_INPUT', message);
