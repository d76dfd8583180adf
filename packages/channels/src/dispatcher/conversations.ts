import type { SessionService } from '@thole/core';
import type { ConversationDeps } from '../conversation/conversation-context.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { User } from '../identity/user.ts';
import { listConversationSessions, listWaitingConversations } from './waiting-conversations.ts';

/** Parts of a dispatcher that its conversations need. */
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

  /** Creates a conversation for one use. */
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
    const own = [...this.#byKey].filter(([, conversation]) => conversation.ref.userId === userId);
    for (const [key] of own) this.#byKey.delete(key);
    return own.map(([, conversation]) => conversation);
  }

  /** Handles messages of one user on one channel that an earlier process has left. Those of a deleted user are dropped. */
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

  /** Continues unfinished runs, timers and answers. */
  async recoverRuns(): Promise<void> {
    const { appName, identities, sessions } = this.#options;
    for (const { channel, userId } of await listWaitingConversations(sessions, appName)) {
      const user = await identities.get(userId);
      if (user) this.of(user, channel).resumeWaiting();
    }
  }

  /** Adds conversations that became idle while the process was off to memory, while `mayGoOn` returns true. */
  async sweepIdleSessions(mayGoOn: () => boolean): Promise<void> {
    const { appName, identities, sessions } = this.#options;
    const found = Map.groupBy(await listConversationSessions(sessions, appName), ({ userId }) => userId);
    for (const [userId, conversations] of found) {
      const user = await identities.get(userId);
      if (user && mayGoOn()) await this.of(user, conversations[0]!.channel).sweep();
    }
  }
}
