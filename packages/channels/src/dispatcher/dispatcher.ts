// For programs without the types of Node: declares `Symbol.asyncDispose`.
/// <reference lib="esnext.disposable" preserve="true" />
import { systemRuntime, TholeError } from '@thole/core';
import { assertName, errorFields, KeyedQueue, waitAtMost } from '@thole/core/kit';
import type { CancelTimer, Runtime } from '@thole/core';
import type { Channel, ChannelHandler, DeliveryReport } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import { assertOutboundMessage } from '../channel/outbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import { messageKeyOf, readInboundMessage } from '../channel/read-inbound-message.ts';
import { SlashCommands } from '../commands/slash-commands.ts';
import type { ConversationDeps } from '../conversation/conversation-context.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { PartsPool } from '../conversation/parts-pool.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import { Outbox } from '../delivery/outbox.ts';
import { keyOf } from '../identity/identity-book.ts';
import type { Identity, User } from '../identity/user.ts';
import { assertDispatcherOptions } from './assert-dispatcher-options.ts';
import { Conversations } from './conversations.ts';
import type { Approval, DispatcherOptions, DispatchFailure } from './dispatcher-options.ts';
import { RunningChannels } from './running-channels.ts';
import { UnknownSenderHandler } from './unknown-sender-handler.ts';
import { readTexts } from './texts.ts';

/** Arguments of `Dispatcher.send`. */
export interface SendToUserRequest {
  userId: string;
  /** Default: the channel of the user's last message, otherwise the first channel on which the user has an identity. */
  channel?: string | undefined;
  message: OutboundMessage | string;
  /** A message with a known key is not sent again. Default: a new key. */
  idempotencyKey?: string | undefined;
}

const DAY_MS = 86_400_000;

/** Connects channels, users and agents. Channel and sender identify the user, and each user has one conversation per channel. */
export class Dispatcher implements ChannelHandler {
  readonly #options: DispatcherOptions;
  readonly #runtime: Runtime;
  readonly #pool: PartsPool;
  readonly #outbox: Outbox;
  readonly #unknownSenders: UnknownSenderHandler;
  readonly #channels: RunningChannels;
  readonly #conversations: Conversations;
  /** The channel of each user's last message. */
  readonly #lastChannels = new Map<string, string>();
  /** True after an error of `receive`: the store may contain messages that no conversation has. */
  #hasFailedReceive = false;
  /** Runs the work for one sender in order: its messages, approval and rejection. */
  readonly #senders = new KeyedQueue();
  readonly #limits: { maxTextLength: number; maxFileBytes: number };
  #phase: 'new' | 'started' | 'closed' = 'new';
  #sweep: Promise<void> = Promise.resolve();
  #cancelPrune: CancelTimer | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    assertDispatcherOptions(options);
    const { deliveries, identities, runtime = systemRuntime(), sessions } = options;
    const texts = readTexts(options.texts);
    this.#options = options;
    this.#runtime = runtime;
    this.#limits = {
      maxTextLength: options.maxTextLength ?? 32_768,
      maxFileBytes: options.maxFileBytes ?? 20 * 1_048_576,
    };
    this.#channels = new RunningChannels(options.channels);
    const onError = (failure: DispatchFailure): void => this.#report(failure);
    this.#outbox = new Outbox({
      store: deliveries,
      runtime,
      channelOf: (name) => this.#channels.get(name),
      maxAttempts: options.maxAttempts ?? 50,
      retryMs: options.retryMs ?? 1_000,
      sendTimeoutMs: options.sendTimeoutMs ?? 60_000,
      onError: ({ channel }, error) => onError({ step: 'send', channel, error }),
    });
    this.#pool = new PartsPool(options.createParts, (error) => onError({ step: 'run', error }));
    const deps: ConversationDeps = {
      runtime,
      sessions,
      deliveries,
      outbox: this.#outbox,
      pool: this.#pool,
      commands: new SlashCommands(options.commands ?? []),
      texts,
      onError,
    };
    this.#conversations = new Conversations({ appName: options.appName, identities, sessions, deps });
    this.#unknownSenders = new UnknownSenderHandler({
      mode: options.unknownSenders ?? 'refuse',
      identities,
      deliveries,
      outbox: this.#outbox,
      texts,
      runtime,
      onRequest: (request) => {
        void (async () => options.onRequest?.(request))().catch((error: unknown) =>
          onError({ step: 'command', channel: request.channel, error }),
        );
      },
    });
  }

  /** The conversations that this process has used, of all users. */
  get conversations(): readonly Conversation[] {
    return this.#conversations.all;
  }

  /** The current channels. */
  get channels(): readonly Channel[] {
    return this.#channels.all;
  }

  /**
   * Starts the channels, and continues the work of an earlier process: messages without an answer, unfinished runs and unsent
   * answers. Adds conversations that have become idle to memory, in the background. Rejects if a channel cannot start; then all
   * channels are stopped.
   */
  async start(): Promise<void> {
    if (this.#phase !== 'new')
      throw new TholeError('INVALID_INPUT', 'start() was called before. Create a new Dispatcher to start again.');
    this.#phase = 'started';
    await this.#pruneKeys();
    await this.#outbox.load();
    await this.#recoverMessages(await this.#options.deliveries.unfinished());
    await this.#conversations.recoverRuns();
    await this.#channels.start(this);
    this.#outbox.start();
    this.#sweep = this.#sweepIdleSessions();
    this.#schedulePrune();
  }

  /**
   * Waits at most `timeoutMs` (default 10,000) for runs and answers, then stops the channels. Unfinished work continues at the next
   * start. Adds nothing to memory.
   */
  close(p: { timeoutMs?: number | undefined } = {}): Promise<void> {
    return (this.#closed ??= this.#close(p.timeoutMs ?? 10_000));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async onMessage(value: InboundMessage): Promise<void> {
    if (this.#phase !== 'started')
      throw new TholeError(
        'SERVER_BUSY',
        'The dispatcher is closed or was not started. Deliver the message again later.',
      );
    const message = readInboundMessage(value, this.#limits);
    if (message.group?.isAddressed === false) return;
    await this.#senders.run(keyOf(message), () => this.#receive(message));
  }

  async onReport(report: DeliveryReport): Promise<void> {
    await this.#options.deliveries.report(report);
  }

  onReady(channel: string, to: string): void {
    this.#outbox.wake(channel, to);
  }

  /**
   * Sends a message to a user, not to a group. Resolves when it is stored. Throws `USER_NOT_FOUND`, or `INVALID_INPUT` if the
   * message has neither text nor files, or the user has no identity on the channel.
   */
  async send(p: SendToUserRequest): Promise<{ key: string; channel: string }> {
    const message = typeof p.message === 'string' ? { text: p.message } : p.message;
    assertOutboundMessage(message);
    const user = await this.#options.identities.get(p.userId);
    if (!user)
      throw new TholeError('USER_NOT_FOUND', `User "${p.userId}" does not exist. Create it with identities.create().`);
    const channel = p.channel ?? this.#channelOf(user);
    const identity = user.identities.find((each) => each.channel === channel);
    if (!identity || channel === undefined)
      throw new TholeError(
        'INVALID_INPUT',
        `User "${user.id}" has no identity on ${channel ? `channel "${channel}"` : 'a channel'}. Add one with identities.link().`,
      );
    const key = p.idempotencyKey ?? this.#runtime.newId('delivery');
    assertName('idempotencyKey', key);
    const createdAt = this.#runtime.now();
    await this.#outbox.put({ key, userId: user.id, channel, to: identity.sender, message, createdAt });
    return { key, channel };
  }

  /** Each conversation creates its parts again at its next message. Active runs finish with the old parts. Sessions are kept. */
  reload(): void {
    for (const conversation of this.conversations) conversation.reload();
  }

  /**
   * Adds, removes or replaces channels while running. A channel that is in both lists is left unchanged. Rejects if a new channel
   * cannot start; then none of the new channels is added, and the removed channels are started again.
   */
  async setChannels(channels: readonly Channel[]): Promise<void> {
    try {
      await this.#channels.replace(channels, ({ name: channel }, error) =>
        this.#report({ step: 'startup', channel, error }),
      );
    } finally {
      if (this.#phase === 'started') this.#outbox.start();
    }
  }

  /**
   * Links an unknown sender to a new or existing user, and handles the waiting messages. Returns the user. Throws
   * `USER_NOT_FOUND` or `IDENTITY_TAKEN`.
   */
  approve(approval: Approval): Promise<User> {
    return this.#senders.run(keyOf(approval), async () => {
      const { user, waiting } = await this.#unknownSenders.approve(approval);
      if (waiting.length > 0) this.#conversations.of(user, approval.channel).recover(waiting);
      return user;
    });
  }

  /** Removes an access request and drops the waiting messages. Returns false if there is no such request. */
  reject(identity: Identity): Promise<boolean> {
    return this.#senders.run(keyOf(identity), () => this.#unknownSenders.reject(identity));
  }

  /**
   * Deletes a user, the pending messages and the conversations. Sessions, state, artifacts and memory are kept for a later user with
   * the same id; `data: true` deletes them too. Returns false if the user does not exist.
   */
  async deleteUser(p: { userId: string; data?: boolean | undefined }): Promise<boolean> {
    const { deliveries, identities } = this.#options;
    const user = await identities.get(p.userId);
    if (!user) return false;
    await identities.delete(user.id);
    const conversations = this.#conversations.remove(user.id);
    this.#outbox.dropUser(user.id);
    await deliveries.deleteUser(user.id);
    this.#lastChannels.delete(user.id);
    for (const conversation of conversations) await conversation.cancel();
    if (p.data === true) await this.#conversations.create(user, user.identities[0]?.channel ?? 'none').deleteUserData();
    return true;
  }

  /** Resolves when no run and no send is active. Does not wait for sends that wait for a retry. */
  async idle(): Promise<void> {
    do {
      await this.#sweep;
      await Promise.all(this.conversations.map((conversation) => conversation.idle()));
      await this.#outbox.idle();
    } while (this.conversations.some((conversation) => !conversation.isIdle));
  }

  /** Stores a message and passes it to its conversation. Ignores a message that is stored already. */
  async #receive(message: InboundMessage): Promise<void> {
    const { deliveries, identities } = this.#options;
    const { channel, sender } = message;
    const key = messageKeyOf(message);
    const user = (await identities.find({ channel, sender })) ?? (await this.#unknownSenders.handle(message, key));
    if (!user) return;
    const stored: StoredMessage = { key, userId: user.id, message, receivedAt: this.#runtime.now() };
    try {
      if (!(await deliveries.receive(stored)) && !(await this.#isUnhandled(stored))) return;
    } catch (error) {
      this.#hasFailedReceive = true;
      throw error;
    }
    this.#lastChannels.set(user.id, channel);
    if (this.#phase !== 'started') return;
    this.#conversations.of(user, channel).handle(stored, this.#coalesceMs(channel));
  }

  /** True for a message that an earlier delivery has stored before the store reported an error, so that no conversation has it. */
  async #isUnhandled({ key }: StoredMessage): Promise<boolean> {
    // The conversations are checked first: they could finish the message while the store is read.
    if (!this.#hasFailedReceive || this.conversations.some((each) => each.holds(key))) return false;
    const found = (await this.#options.deliveries.unfinished()).find((each) => each.key === key);
    return found !== undefined && !found.batch;
  }

  #coalesceMs(channel: string): number {
    return this.#channels.get(channel)?.coalesceMs ?? this.#options.coalesceMs ?? 1_000;
  }

  #channelOf(user: User): string | undefined {
    const last = this.#lastChannels.get(user.id);
    const isReachable = (name: string | undefined): boolean =>
      name !== undefined &&
      this.#channels.get(name) !== undefined &&
      user.identities.some(({ channel }) => channel === name);
    if (isReachable(last)) return last;
    return user.identities.find(({ channel }) => isReachable(channel))?.channel;
  }

  async #recoverMessages(messages: readonly StoredMessage[]): Promise<void> {
    const groups = Map.groupBy(messages, ({ message, userId }) =>
      userId === '' ? `:${keyOf(message)}` : `${userId}:${message.channel}`,
    );
    for (const group of groups.values()) {
      const assigned = group[0]!.userId === '' ? await this.#unknownSenders.recover(group) : group;
      if (assigned.length > 0) await this.#conversations.recoverMessages(assigned);
    }
  }

  /** Deletes the keys of old messages. */
  async #pruneKeys(): Promise<void> {
    const { deliveries, rememberKeysMs = 30 * DAY_MS } = this.#options;
    await deliveries.prune(this.#runtime.now() - rememberKeysMs / 1_000);
  }

  /** Deletes old keys every day, because a process may run for months. */
  #schedulePrune(): void {
    if (this.#phase !== 'started') return;
    this.#cancelPrune = this.#runtime.timer(DAY_MS, () => {
      this.#schedulePrune();
      void this.#pruneKeys().catch((error: unknown) => this.#report({ step: 'startup', error }));
    });
  }

  /** Never rejects. */
  async #sweepIdleSessions(): Promise<void> {
    try {
      await this.#conversations.sweepIdleSessions(() => this.#phase === 'started');
    } catch (error) {
      if (this.#phase === 'started') this.#report({ step: 'startup', error });
    }
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#phase = 'closed';
    this.#cancelPrune?.();
    for (const conversation of this.conversations) conversation.flush();
    const started = this.#runtime.monotonic();
    await waitAtMost(this.#runtime, timeoutMs, this.idle());
    for (const conversation of this.conversations) conversation.close();
    await this.#pool.close();
    await this.#outbox.close(Math.max(0, timeoutMs - (this.#runtime.monotonic() - started)));
    for (const error of await this.#channels.stop()) this.#report({ step: 'send', error });
    await this.#sweep;
  }

  #report(failure: DispatchFailure): void {
    const { error, channel, step } = failure;
    const { logger } = this.#runtime;
    logger.error(`A step of the dispatcher failed: ${step}.`, { channel, ...errorFields(error) });
    try {
      this.#options.onError?.(failure);
    } catch (thrown) {
      logger.error('onError of the dispatcher failed.', { ...errorFields(thrown) });
    }
  }
}
