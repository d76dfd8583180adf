import { appendInstruction } from '@thole/core/kit';
import type { Instruction } from '../agents/llm-agent-options.ts';
import { isLlmAgent } from './is-llm-agent.ts';
import { readInstruction } from './read-instruction.ts';
import type { RequestDraft } from './request-draft.ts';

/**
 * Adds the global instruction of the root agent and the instruction of the agent. With a static instruction, both are added
 * to the contents.
 */
export function addInstructions(draft: RequestDraft): void | Promise<void> {
  const { agent, context, request } = draft;
  const { root } = context.tree;
  const globalInstruction = isLlmAgent(root) ? root.globalInstruction : undefined;
  if (agent.staticInstruction) appendInstruction(request, agent.staticInstruction);
  // Synchronous in the common cases.
  if (globalInstruction === undefined && agent.instruction === undefined) return;
  if (!agent.staticInstruction && globalInstruction === undefined && isPlain(agent.instruction)) {
    return appendInstruction(request, agent.instruction);
  }
  return addFilled(draft, globalInstruction, agent.instruction);
}

function isPlain(instruction: Instruction | undefined): instruction is string {
  return typeof instruction === 'string' && !instruction.includes('{');
}

async function addFilled(
  draft: RequestDraft,
  globalInstruction: Instruction | undefined,
  own: Instruction | undefined,
): Promise<void> {
  const { agent, context, request } = draft;
  const texts: string[] = [];
  if (globalInstruction !== undefined)
    texts.push(await readInstruction(globalInstruction, context, `globalInstruction of ${context.tree.root.name}`));
  context.signal.throwIfAborted();
  if (own !== undefined) texts.push(await readInstruction(own, context, `instruction of ${agent.name}`));
  const text = texts.filter((each) => each !== '').join('\n\n');
  if (agent.staticInstruction) draft.dynamicInstruction = text;
  else appendInstruction(request, text);
}
