import type { Channel, ChannelHandler, DeliveryReport } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Identity, User } from '../identity/user.ts';
import type { Approval, DispatcherOptions } from './dispatcher-options.ts';

/** Arguments of `Dispatcher.send`. */
export interface SendToUserRequest {
  userId: string;
  /** Default: the channel of the user's last message, otherwise that of the first identity on a channel of the dispatcher. */
  channel?: string | undefined;
  message: OutboundMessage | string;
  /** A second message with the same key is not sent. Default: a new key. */
  idempotencyKey?: string | undefined;
}

/** Connects channels, users and agents: (channel, sender) is a user, and each user has one conversation per channel. */
export declare class Dispatcher implements ChannelHandler {
  constructor(options: DispatcherOptions);
  /**
   * Continues what the last process left: unfinished runs, messages without an answer, answers that were not sent, and
   * conversations that became idle. Then starts the channels. Rejects if a channel cannot start; then all are stopped.
   */
  start(): Promise<void>;
  /**
   * Stops the channels, then waits at most `timeoutMs` (default 10,000) for runs and sends. What is left continues at the next
   * start. Consolidates nothing.
   */
  close(p?: { timeoutMs?: number | undefined }): Promise<void>;
  onMessage(message: InboundMessage): Promise<void>;
  onReport(report: DeliveryReport): Promise<void>;
  /** Sends a message to a user. Resolves when it is stored. Throws `USER_NOT_FOUND`, or `INVALID_INPUT` if no channel reaches the user. */
  send(p: SendToUserRequest): Promise<void>;
  /** Makes each conversation create its parts again at its next message. Active runs end with the old ones. Sessions stay. */
  reload(): void;
  /** Adds, removes or replaces channels while running. A channel that is in both lists is left unchanged. */
  setChannels(channels: readonly Channel[]): Promise<void>;
  /** Links an unknown sender to a user and answers the waiting messages. Returns the user. */
  approve(approval: Approval): Promise<User>;
  /** Removes an access request and drops the waiting messages. Returns false if there is none. */
  reject(identity: Identity): Promise<boolean>;
  /**
   * Removes a user, the pending messages and conversations. Memory stays, so that it is there if the user comes back under the
   * same id; `data: true` also deletes sessions, state, artifacts and memory. Returns false if there is none.
   */
  deleteUser(p: { userId: string; data?: boolean | undefined }): Promise<boolean>;
  /** The conversations that this process has used, for pages and tests. */
  get conversations(): readonly Conversation[];
  /** Resolves when no run and no send is active. Sends that wait for a retry do not count. */
  idle(): Promise<void>;
}
