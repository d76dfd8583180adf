import { appendInstruction } from './append-instruction.ts';
import type { RequestDraft } from './request-draft.ts';

/** Tells the model its agent's name: the history holds other agents' words too. */
export function addIdentity({ agent, request }: RequestDraft): void {
  const purpose = agent.description ? ` Your purpose: ${agent.description}` : '';
  appendInstruction(request, `Your name among the agents here is "${agent.name}".${purpose}`);
}
