import { TholeError } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import type { CallbackContext, LlmRequest, Plugin } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
import { PROFILE_OPTIONS } from './profile-options.ts';
import type { ProfileOptions } from './profile-options.ts';
import { profileBlock } from './profile-block.ts';
import { profile } from './profile.ts';
import type { Profiles } from './profile.ts';

/** Where profiles come from, and where they stand. */
export interface ProfilePluginOptions extends Partial<ProfileOptions> {
  /** In place of `memory` and `llm`: what `profile()` has made, to share it. */
  profiles?: Profiles | undefined;
  /**
   * `user` (default): a content of its own before all others, so that system text and tools stay the same for all users, and
   * what begins alike stays cached within a session. `system`: the end of the system text.
   */
  placement?: 'user' | 'system' | undefined;
  name?: string | undefined;
}

/**
 * Quotes the user's profile in every request: labelled `USER_PROFILE`, escaped, never stored. It is the same text throughout a
 * session. Without anything known, or when memory cannot be read (which is logged), requests stay as they are.
 */
export class ProfilePlugin implements Plugin {
  readonly name: string;
  readonly #profiles: Profiles;
  readonly #placement: 'user' | 'system';

  constructor(options: ProfilePluginOptions) {
    rejectUnknownOptions(options, [...PROFILE_OPTIONS, 'profiles', 'placement', 'name'], 'ProfilePlugin');
    const { profiles, placement = 'user', name = 'user_profile', ...rest } = options;
    if (placement !== 'user' && placement !== 'system')
      throw new TholeError('INVALID_INPUT', `placement must be 'user' or 'system'.`);
    if (profiles && (rest.memory || rest.llm))
      throw new TholeError('INVALID_INPUT', 'ProfilePlugin takes either profiles or memory and llm.');
    this.#profiles = profiles ?? profile(rest as ProfileOptions);
    this.#placement = placement;
    this.name = name;
  }

  /** Puts the profile into the request; part of being a plugin. */
  async beforeModelCallback({
    callbackContext,
    llmRequest,
  }: {
    callbackContext: CallbackContext;
    llmRequest: LlmRequest;
  }): Promise<undefined> {
    const block = await this.#blockFor(callbackContext);
    if (block === '') return undefined;
    if (this.#placement === 'user') {
      llmRequest.contents = [{ role: 'user', parts: [{ text: block }] }, ...llmRequest.contents];
    } else {
      const { systemInstruction } = llmRequest.config;
      llmRequest.config.systemInstruction = systemInstruction ? `${systemInstruction}\n\n${block}` : block;
    }
    return undefined;
  }

  // Once for each invocation: every step shows the model the same text.
  async #blockFor(context: CallbackContext): Promise<string> {
    const { state, appName, userId, sessionId, signal, runtime, history } = context;
    const memo = `temp:${this.name}`;
    const before = state.get<string>(memo);
    if (before !== undefined) return before;
    let block = '';
    try {
      const incarnation = history.at(0)?.id;
      const found = await this.#profiles.of({ appName, userId, sessionId, incarnation, signal });
      if (found) block = profileBlock(found);
    } catch (error) {
      if (signal.aborted) throw error;
      runtime.logger.warn('The profile could not be read.', { plugin: this.name, code: errorCodeOf(error), sessionId });
    }
    state.set(memo, block);
    return block;
  }
}
