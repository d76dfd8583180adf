import type { Content } from '@thole/core';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import type { AgentContext } from './agent-context.ts';
import { saveInputBlobs } from './save-input-blobs.ts';

/** Whether plugins, or the saving of files, may change the message that begins an invocation. */
export function mayChangeMessages({ plugins, runConfig }: AgentContext): boolean {
  return hasHook(plugins, 'onUserMessageCallback') || Boolean(runConfig.saveInputBlobsAsArtifacts);
}

/** Lets them; `onChange` hears of what it became, each time. */
export async function changeMessage(
  root: AgentContext,
  given: Content,
  onChange: (message: Content) => void,
): Promise<void> {
  let message = given;
  const userMessage = { invocationContext: root, userMessage: message };
  const replaced = await callPlugins(root.plugins, 'onUserMessageCallback', userMessage);
  if (replaced) onChange((message = { ...replaced, role: 'user' }));
  if (root.runConfig.saveInputBlobsAsArtifacts) onChange(await saveInputBlobs(root, message));
}
