import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Content, Plugin } from '@thole/core';
import type { HookParams } from '../hooks/call-hooks.ts';
import { saveInputBlobs } from '../hooks/change-message.ts';

/**
 * Saves files in a user's message as artifacts under their display names, and replaces each file with a line that
 * contains its name. Needs an artifact service: without one, a message with a file fails.
 */
export class SaveFilesAsArtifactsPlugin implements Plugin {
  readonly name: string;

  /** Throws `INVALID_INPUT` for unknown options. */
  constructor(options: { name?: string | undefined } = {}) {
    rejectUnknownOptions(options, optionNames<typeof options>({ name: true }), 'SaveFilesAsArtifactsPlugin');
    this.name = options.name ?? 'save_files_as_artifacts';
  }

  async onUserMessageCallback({
    invocationContext,
    userMessage,
  }: HookParams<'onUserMessageCallback'>): Promise<Content | undefined> {
    if (!userMessage.parts?.some((part) => part.inlineData)) return undefined;
    return saveInputBlobs(invocationContext, userMessage);
  }
}
