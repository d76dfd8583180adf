import { TholeError } from '@thole/core';
import type { Agent, AgentTree, Event, Llm } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { isLlmAgent } from './is-llm-agent.ts';

/** Returns the model of the agent, or of the nearest agent above it that has one. */
export function findModel(agent: LlmAgent, tree: AgentTree): Llm | string | undefined {
  for (let above: Agent | undefined = agent; above; above = tree.parentOf(above)) {
    if (isLlmAgent(above) && above.model !== undefined) return above.model;
  }
  return undefined;
}

/** Returns the name of the model that answered: `modelVersion` of the event, else the model of the agent, else empty. */
export function modelNameOf(
  event: Pick<Event, 'author' | 'modelVersion'>,
  { agents, tree }: Pick<RunTask, 'agents' | 'tree'>,
): string {
  const agent = agents.find(event.author);
  const model = agent && isLlmAgent(agent) ? findModel(agent, tree) : undefined;
  return event.modelVersion ?? (typeof model === 'string' ? model : model?.model) ?? '';
}

/** Returns the error for an agent without a model. */
export function noModelError({ name }: LlmAgent): TholeError {
  return new TholeError(
    'INVALID_INPUT',
    `Agent ${name} has no model, and no agent above it has one. Set \`model\` to a model object, or to a name such as "gpt-5.5" and pass \`models: [openAiModels()]\` to the runner.`,
  );
}
