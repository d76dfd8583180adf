import { TholeError } from '@thole/core';
import { appendInstruction } from '@thole/core/kit';
import type { Agent, Tool } from '@thole/core';
import { addTool } from './add-tools.ts';
import type { RequestDraft } from './request-draft.ts';
import { transferTargets } from './transfer-targets.ts';

const TRANSFER_TO_AGENT = 'transfer_to_agent';

/** Adds the list of agents to which the model may transfer, and the tool `transfer_to_agent`. */
export function addTransferTargets(draft: RequestDraft): void {
  const targets = transferTargets(draft.agent, draft.context.tree);
  if (targets.length === 0) return;
  addTool(draft, transferTool(targets), 'the tool for handing over');
  const lines = targets.map(({ name, description }) => (description ? `- ${name}: ${description}` : `- ${name}`));
  appendInstruction(
    draft.request,
    `Other agents you can hand the conversation to:\n${lines.join('\n')}\n` +
      `If one of them can answer better, call ${TRANSFER_TO_AGENT} with its name and write nothing else. Otherwise answer yourself.`,
  );
}

function transferTool(targets: readonly Agent[]): Tool {
  const names = targets.map(({ name }) => name);
  const description = 'Hands the conversation over to another agent, which answers from then on.';
  const agentName = { type: 'string', enum: names, description: 'The name of the agent.' };
  return {
    name: TRANSFER_TO_AGENT,
    description,
    idempotent: true,
    declaration: () => ({
      name: TRANSFER_TO_AGENT,
      description,
      parametersJsonSchema: { type: 'object', properties: { agentName }, required: ['agentName'] },
    }),
    async runAsync({ args, toolContext }) {
      // ADK for Python uses `agent_name`, and so do models that have seen its histories.
      const name = args['agentName'] ?? args['agent_name'];
      if (typeof name !== 'string' || !names.includes(name)) {
        throw new TholeError('INVALID_INPUT', `agentName must be one of ${names.join(', ')}.`, {
          details: { refused: true },
        });
      }
      toolContext.actions.transferToAgent = name;
      return { result: `Handed over to ${name}.` };
    },
  };
}
