import type { Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';

const transferTool = 'transfer_to_agent';

/**
 * Returns the events of the agent's current turn. It begins with the last message to the agent: the user's message, or the
 * answer of another agent before it. After a transfer, the turn of the target begins at the user's message. Without such an
 * event, the turn begins with the latest event of another author.
 */
export function currentTurn(events: readonly Event[], agentName: string): readonly Event[] {
  let wasTransferredTo = false;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if (isTransfer(event)) wasTransferredTo ||= targetsOf(event).includes(agentName);
    else if (event.author === 'user' ? isMessage(event) : event.author !== agentName && !wasTransferredTo)
      return events.slice(i);
  }
  const last = events.findLastIndex((event) => event.author !== agentName);
  return last < 0 ? [] : events.slice(last);
}

/** True if the event contains more than answers to calls, which continue an older turn. */
function isMessage(event: Event): boolean {
  return event.content?.parts?.some((part) => !part.functionResponse) ?? true;
}

function isTransfer(event: Event): boolean {
  if (event.author === 'user') return false;
  if (event.actions.transferToAgent !== undefined) return true;
  return [...getFunctionCalls(event), ...getFunctionResponses(event)].some(({ name }) => name === transferTool);
}

function targetsOf(event: Event): unknown[] {
  const called = getFunctionCalls(event).filter(({ name }) => name === transferTool);
  return [event.actions.transferToAgent, ...called.map(({ args }) => args['agentName'] ?? args['agent_name'])];
}
