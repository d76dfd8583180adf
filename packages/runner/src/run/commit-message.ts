import { createEvent } from '@thole/core';
import type { Content, Event } from '@thole/core';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import type { AgentContext } from './agent-context.ts';
import type { CheckedInput } from './check-run.ts';
import { saveInputBlobs } from './save-input-blobs.ts';

/** Stores the message that begins an invocation, after plugins and the saving of files have changed it; `onChange` hears of what it became. */
export async function commitMessage(
  root: AgentContext,
  input: CheckedInput,
  onChange: (message: Content) => void,
): Promise<Event> {
  const { invocationId, runConfig, runtime, plugins } = root;
  let message: Content = input.message;
  if (hasHook(plugins, 'onUserMessageCallback')) {
    const replaced = await callPlugins(plugins, 'onUserMessageCallback', {
      invocationContext: root,
      userMessage: message,
    });
    if (replaced) onChange((message = { ...replaced, role: 'user' }));
  }
  if (runConfig.saveInputBlobsAsArtifacts) onChange((message = await saveInputBlobs(root, message)));
  const { stateDelta } = input;
  return await root.commit(
    createEvent({ author: 'user', invocationId, content: message, actions: { stateDelta } }, runtime),
  );
}
