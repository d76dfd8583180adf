import type { SessionService } from '@thole/core';
import type { ConversationDeps } from '../conversation/conversation-context.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { User } from '../identity/user.ts';
import { listConversationSessions, listWaitingConversations } from './waiting-conversations.ts';

/** Arguments of `Conversations`. */
export interface ConversationsOptions {
  readonly appName: string;
  readonly identities: IdentityStore;
  readonly sessions: SessionService;
  readonly deps: ConversationDeps;
}

/** The conversations that this process has used: one per user and channel. */
export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #byKey = new Map<string, Conversation>();

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  get all(): readonly Conversation[] {
    return [...this.#byKey.values()];
  }

  /** Returns the conversation of a user on a channel, created at its first use. */
  of(user: User, channel: string): Conversation {
    const key = `${user.id}:${channel}`;
    let conversation = this.#byKey.get(key);
    if (!conversation) this.#byKey.set(key, (conversation = this.create(user, channel)));
    conversation.user = user;
    return conversation;
  }

  /** Creates a conversation without keeping it. */
  create(user: User, channel: string): Conversation {
    const { appName, deps } = this.#options;
    return new Conversation(deps, {
      user,
      channel,
      ref: { appName, userId: user.id, sessionId: `${user.id}:${channel}` },
    });
  }

  /** Removes the conversations of a user, and returns them. */
  remove(userId: string): Conversation[] {
    const removed = [...this.#byKey].filter(([, conversation]) => conversation.ref.userId === userId);
    for (const [key] of removed) this.#byKey.delete(key);
    return removed.map(([, conversation]) => conversation);
  }

  /** Handles unfinished messages of one user on one channel from an earlier process. Drops messages of a deleted user. */
  async recoverMessages(messages: readonly StoredMessage[]): Promise<void> {
    const { deps, identities } = this.#options;
    const [{ message, userId }] = messages as [StoredMessage];
    const user = await identities.get(userId);
    if (user) return this.of(user, message.channel).recover(messages);
    await deps.deliveries.finish(
      messages.map(({ key }) => key),
      deps.runtime.now(),
    );
  }

  /** Continues the conversations with an unfinished run, a timer or an open interrupt. */
  async recoverRuns(): Promise<void> {
    const { appName, identities, sessions } = this.#options;
    for (const { channel, userId } of await listWaitingConversations(sessions, appName)) {
      const user = await identities.get(userId);
      if (user) this.of(user, channel).resumeWaiting();
    }
  }

  /** Adds conversations to memory that became idle while the process was off. Stops when `shouldContinue` returns false. */
  async sweepIdleSessions(shouldContinue: () => boolean): Promise<void> {
    const { appName, identities, sessions } = this.#options;
    const found = Map.groupBy(await listConversationSessions(sessions, appName), ({ userId }) => userId);
    for (const [userId, conversations] of found) {
      const user = await identities.get(userId);
      if (user && shouldContinue()) await this.of(user, conversations[0]!.channel).sweep();
    }
  }
}
