import { appendInstruction } from '@thole/core/kit';
import type { RequestDraft } from './request-draft.ts';

/** Adds the agent's name to the instruction, because the history also contains text of other agents. */
export function addIdentity({ agent, request }: RequestDraft): void {
  const purpose = agent.description ? ` Your purpose: ${agent.description}` : '';
  appendInstruction(request, `Your name among the agents here is "${agent.name}".${purpose}`);
}
