import { createEvent } from '@thole/core';
import type { Event } from '@thole/core';
import { callPlugins } from '../hooks/call-hooks.ts';
import type { AgentContext } from '../contexts/agent-context.ts';

/** Stores what a plugin answers in the place of the agent, as the agent's word; undefined where none does. */
export async function storeAnswerInstead(root: AgentContext): Promise<Event | undefined> {
  const { plugins, invocationId, runtime, tree } = root;
  const content = await callPlugins(plugins, 'beforeRunCallback', { invocationContext: root }, root.signal);
  if (!content) return undefined;
  const answer = { author: tree.root.name, invocationId, content: { role: 'model' as const, ...content } };
  return root.commit(createEvent(answer, runtime));
}
