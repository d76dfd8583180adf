import { TholeError } from '@thole/core';
import { appendInstruction, errorCodeOf, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { CallbackContext, LlmRequest, Optional, Plugin } from '@thole/core';
import type { ProfileOptions } from './profile-options.ts';
import { profileBlock } from './profile-block.ts';
import { profile } from './profile.ts';
import type { Profiles } from './profile.ts';

/** Options of `ProfilePlugin`. */
export interface ProfilePluginOptions extends Optional<ProfileOptions> {
  /** The result of `profile()`, to share it, instead of `memory` and `llm`. */
  profiles?: Profiles | undefined;
  /**
   * `user`: a separate content before all others, so that system text and tools are the same for all users and providers can cache
   * them. `system`: the end of the system text. Default: `user`.
   */
  placement?: 'user' | 'system' | undefined;
  name?: string | undefined;
}

const pluginOptionNames = optionNames<ProfilePluginOptions>({
  memory: true,
  llm: true,
  limit: true,
  sources: true,
  maxTokens: true,
  timeoutMs: true,
  runtime: true,
  profiles: true,
  placement: true,
  name: true,
});

/**
 * Quotes the user's profile in every request, labelled `USER_PROFILE` and escaped. It is not stored, and stays the same during a
 * session. If nothing is known, or memory cannot be read (which is logged), requests are not changed.
 */
export class ProfilePlugin implements Plugin {
  readonly name: string;
  readonly #profiles: Profiles;
  readonly #placement: 'user' | 'system';

  constructor(options: ProfilePluginOptions) {
    rejectUnknownOptions(options, pluginOptionNames, 'ProfilePlugin');
    const { profiles, placement = 'user', name = 'user_profile', ...rest } = options;
    if (placement !== 'user' && placement !== 'system')
      throw new TholeError('INVALID_INPUT', `placement must be 'user' or 'system'.`);
    if (profiles && (rest.memory || rest.llm))
      throw new TholeError('INVALID_INPUT', 'ProfilePlugin needs either profiles, or memory and llm, but not both.');
    this.#profiles = profiles ?? profile(rest as ProfileOptions);
    this.#placement = placement;
    this.name = name;
  }

  /** Adds the profile to a model request. Called by the runner. */
  async beforeModelCallback({
    callbackContext,
    llmRequest,
  }: {
    callbackContext: CallbackContext;
    llmRequest: LlmRequest;
  }): Promise<undefined> {
    const block = await this.#blockFor(callbackContext);
    if (block === '') return undefined;
    if (this.#placement === 'system') appendInstruction(llmRequest, block);
    else llmRequest.contents = [{ role: 'user', parts: [{ text: block }] }, ...llmRequest.contents];
    return undefined;
  }

  /** Returns the block, read once per invocation, so that all its requests have the same text. Empty without a profile. */
  async #blockFor(context: CallbackContext): Promise<string> {
    const { state, appName, userId, sessionId, signal, runtime, history } = context;
    const key = `temp:${this.name}`;
    const cached = state.get<string>(key);
    if (cached !== undefined) return cached;
    let block = '';
    try {
      const incarnation = history.at(0)?.id;
      const current = await this.#profiles.of({ appName, userId, sessionId, incarnation, signal });
      if (current) block = profileBlock(current);
    } catch (error) {
      if (signal.aborted) throw error;
      runtime.logger.warn('The profile could not be read.', { plugin: this.name, code: errorCodeOf(error), sessionId });
    }
    state.set(key, block);
    return block;
  }
}
