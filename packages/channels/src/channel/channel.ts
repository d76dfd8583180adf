import type { InboundMessage } from './inbound-message.ts';
import type { OutboundMessage } from './outbound-message.ts';

/** Arguments of `Channel.send`. */
export interface SendRequest {
  /** `address` of the inbound messages, or the sender of an identity. */
  to: string;
  message: OutboundMessage;
  /** The same for every attempt to send this message. A channel whose service knows such keys passes it on. */
  idempotencyKey: string;
  /** Ends the attempt. */
  signal?: AbortSignal | undefined;
}

/** The result of a message that the service of the channel has accepted. */
export interface DeliveryReceipt {
  /** The channel's own id of the sent message, for later reports. */
  id?: string | undefined;
}

/** A report of a service about a sent message, possibly much later. */
export interface DeliveryReport {
  channel: string;
  /** `id` of the receipt. */
  id: string;
  status: 'delivered' | 'read' | 'failed';
  /** Code or short text of the service, without content. */
  reason?: string | undefined;
}

/** Receives what happens on a channel. Implemented by the dispatcher. */
export interface ChannelHandler {
  /**
   * Accepts a message. Resolves when it is stored, or was stored before: only then the channel may acknowledge it to its
   * service. Rejects with `INVALID_INPUT` for a message that never can be accepted: acknowledge and drop it. Any other error
   * means that the message is not stored: do not acknowledge it, so that the service delivers it again.
   */
  onMessage(message: InboundMessage): Promise<void>;
  /** Records a report. Unknown ids are ignored. */
  onReport(report: DeliveryReport): Promise<void>;
  /** Ends all waits for this address: messages to it can be sent now. */
  onReady(channel: string, to: string): void;
}

/**
 * A way to exchange messages with people: a terminal, a webhook, a messenger. Others implement this interface, so it only ever
 * gains optional members. Run the cases of `@thole/channels/testing` on every channel.
 *
 * A channel is stateless about delivery: it passes each message to the handler at least once, and sends what it is given. The
 * dispatcher stores messages, recognises repeated ones by their `id`, keeps the order of each conversation and retries.
 */
export interface Channel {
  readonly specVersion: 1;
  /** Name of the channel, part of session ids: lower-case letters, digits, `-` and `_`. */
  readonly name: string;
  /**
   * Messages of a conversation that arrive within this time become one message, in milliseconds. Default: that of the
   * dispatcher.
   */
  readonly coalesceMs?: number | undefined;
  /**
   * Begins to receive. Resolves when messages can arrive, and rejects if the channel is set up wrongly. If the service cannot be
   * reached, it does not reject and tries again. Called once.
   */
  start(handler: ChannelHandler): Promise<void>;
  /**
   * Returns false while messages to this address have to wait for the recipient, for example for a poll. The dispatcher then
   * waits for `onReady` and counts no attempts. Default: true.
   */
  canSend?(to: string): boolean;
  /** Stops receiving. Resolves when all calls of the handler have settled and all resources are released. */
  stop(): Promise<void>;
  /**
   * Sends a message. Resolves when the service has accepted it. Rejects with `CHANNEL_REJECTED` if the service never will
   * accept it; after any other error the dispatcher sends it again, not earlier than `retryAfterMs` of the error.
   */
  send(request: SendRequest): Promise<DeliveryReceipt>;
}
