import type { InboundMessage } from './inbound-message.ts';
import type { OutboundMessage } from './outbound-message.ts';

/** Arguments of `Channel.send`. */
export interface SendRequest {
  /** `address` of the inbound messages, or the sender of an identity. */
  to: string;
  message: OutboundMessage;
  /** The same for every attempt to send this message. Pass it to the service if the service supports such keys. */
  idempotencyKey: string;
  /** Aborts the attempt. */
  signal?: AbortSignal | undefined;
}

/** The result of a message that the service of the channel has accepted. */
export interface DeliveryReceipt {
  /** Id of the sent message on the channel, for later reports. */
  id?: string | undefined;
}

/** A report of a service about a sent message. It may come much later. */
export interface DeliveryReport {
  channel: string;
  /** `id` of the receipt. */
  id: string;
  status: 'delivered' | 'read' | 'failed';
  /** Code or short text of the service, without content. */
  reason?: string | undefined;
}

/** Receives the messages and reports of a channel. The dispatcher implements it. */
export interface ChannelHandler {
  /**
   * Accepts a message. Resolves when the message is stored, now or before. The channel may acknowledge it to its service only
   * then. Rejects with `INVALID_INPUT` for a message that can never be accepted: acknowledge and drop it. After any other error
   * the message is not stored: do not acknowledge it, so that the service delivers it again.
   */
  onMessage(message: InboundMessage): Promise<void>;
  /** Records a report. Unknown ids are ignored. */
  onReport(report: DeliveryReport): Promise<void>;
  /** Call it when messages to this address can be sent again. Ends their wait. */
  onReady(channel: string, to: string): void;
}

/**
 * A way to exchange messages with people: a terminal, a webhook, a messenger. Implement it for your own channel: new members of
 * this interface are always optional. Run the cases of `@thole/channels/testing` on every channel.
 *
 * A channel keeps no state about delivery. It passes each inbound message to the handler at least once, and sends the messages of
 * `send`. The dispatcher stores messages, recognizes repeated messages by their `id`, keeps the order and retries.
 */
export interface Channel {
  readonly specVersion: 1;
  /** Name of the channel, part of session ids: lower-case letters, digits, `-` and `_`. */
  readonly name: string;
  /**
   * Messages that arrive within this time after the first one become one message, in milliseconds. Default: `coalesceMs` of the
   * dispatcher.
   */
  readonly coalesceMs?: number | undefined;
  /**
   * Starts to receive messages. Resolves when messages can arrive. Rejects if the channel is configured wrongly. If the service
   * is unavailable, it must resolve and connect later. Called again after `stop`, if the channel is started again.
   */
  start(handler: ChannelHandler): Promise<void>;
  /**
   * Returns false while messages to this address must wait for the recipient, for example for a poll. The dispatcher then waits
   * for `onReady` without counting attempts. Default: true.
   */
  canSend?(to: string): boolean;
  /** Stops receiving. Resolves when all calls of the handler have settled and all resources are released. */
  stop(): Promise<void>;
  /**
   * Sends a message. Resolves when the service has accepted it. Rejects with `CHANNEL_REJECTED` if the service will never accept
   * it. After any other error the dispatcher sends it again, at the earliest after `retryAfterMs` of the error.
   */
  send(request: SendRequest): Promise<DeliveryReceipt>;
}
