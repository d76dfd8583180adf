import { assertName } from '@thole/core/kit';
import type { CallbackContext, Content, InlineData, Part } from '@thole/core';
import type { AgentContext } from '../contexts/agent-context.ts';
import { callPlugins, hasHook } from './call-hooks.ts';

/** Returns the message, or the one that a plugin returns instead. */
export async function changeByPlugins(rootContext: AgentContext, userMessage: Content): Promise<Content> {
  const { plugins, signal } = rootContext;
  if (!hasHook(plugins, 'onUserMessageCallback')) return userMessage;
  const p = { invocationContext: rootContext, userMessage };
  const replaced = await callPlugins(plugins, 'onUserMessageCallback', p, signal);
  return replaced ? { ...replaced, role: 'user' } : userMessage;
}

/**
 * Saves the inline files of a message as artifacts, each with a different name. Returns the message with a line of text for each
 * file.
 */
export async function saveInputBlobs(context: CallbackContext, message: Content): Promise<Content> {
  const parts: Part[] = [];
  // A message that joins a run must not replace the files of the run's first message.
  const earlier = [...context.history].filter(({ invocationId }) => invocationId === context.invocationId);
  const names = new Set(earlier.flatMap(({ actions }) => Object.keys(actions.artifactDelta)));
  for (const [i, part] of (message.parts ?? []).entries()) {
    if (!part.inlineData) {
      parts.push(part);
      continue;
    }
    const filename = unusedName(nameOf(part.inlineData) ?? `upload-${context.invocationId}-${i}`, names);
    names.add(filename);
    await context.saveArtifact(filename, part);
    parts.push({ text: `[The user uploaded the file "${filename}". It is saved as an artifact with this name.]` });
  }
  return { ...message, parts };
}

/** Returns the display name of a file. Undefined if an artifact cannot have this name, for example because it is empty. */
function nameOf({ displayName }: InlineData): string | undefined {
  try {
    assertName('displayName', displayName);
    assertName('displayName', displayName.replace(/^user:/, ''));
    return displayName;
  } catch {
    return undefined;
  }
}

/** Returns the name, or `photo-2.jpg` for a second `photo.jpg`: phones give several photos of a message the same name. */
function unusedName(name: string, names: ReadonlySet<string>): string {
  let unused = name;
  for (let n = 2; names.has(unused); n++) unused = name.replace(/(\.[^./]*)?$/, (ending) => `-${n}${ending}`);
  return unused;
}
