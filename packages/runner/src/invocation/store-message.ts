import { createEvent } from '@thole/core';
import type { Content, Event } from '@thole/core';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import type { AgentContext } from '../contexts/agent-context.ts';
import type { CheckedInput } from './run-request.ts';
import { saveInputBlobs } from './save-input-blobs.ts';

/**
 * Stores the message that begins an invocation, as plugins and the saving of files leave it; `onChange` hears of what it becomes,
 * each time.
 */
export function storeMessage(
  root: AgentContext,
  { message, stateDelta }: CheckedInput,
  onChange: (message: Content) => void,
): Promise<Event> {
  const { invocationId, runtime } = root;
  const store = (content: Content): Promise<Event> =>
    root.commit(createEvent({ author: 'user', invocationId, content, actions: { stateDelta } }, runtime));
  return mayChange(root) ? changed(root, message, onChange).then(store) : store(message);
}

// Asked first: most messages are stored as they came, and need not wait.
function mayChange({ plugins, runConfig }: AgentContext): boolean {
  return hasHook(plugins, 'onUserMessageCallback') || Boolean(runConfig.saveInputBlobsAsArtifacts);
}

async function changed(root: AgentContext, given: Content, onChange: (message: Content) => void): Promise<Content> {
  let message = given;
  const userMessage = { invocationContext: root, userMessage: message };
  const replaced = await callPlugins(root.plugins, 'onUserMessageCallback', userMessage, root.signal);
  if (replaced) onChange((message = { ...replaced, role: 'user' }));
  if (root.runConfig.saveInputBlobsAsArtifacts) onChange((message = await saveInputBlobs(root, message)));
  return message;
}
