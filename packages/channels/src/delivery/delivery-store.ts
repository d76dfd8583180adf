import type { DeliveryReport } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';

/** Messages that one run handles together. */
export interface MessageBatch {
  /** Id of the batch, and `messageId` of its run. */
  id: string;
  /** Id of the interrupt that the messages answer. Undefined: they are a new message. */
  interruptId?: string | undefined;
}

/** An inbound message that is stored. */
export interface StoredMessage {
  /** Hash of the channel, the address, the message's id and its edit. */
  key: string;
  /** Id of the user. An empty string if the message waits for the approval of its sender. */
  userId: string;
  message: InboundMessage;
  /** Seconds since the epoch. */
  receivedAt: number;
  /** Set by `begin`. */
  batch?: MessageBatch | undefined;
}

/** An outbound message that is stored until it is sent. */
export interface StoredDelivery {
  /** Idempotency key. A second delivery with the same key is never stored. */
  key: string;
  userId: string;
  channel: string;
  to: string;
  message: OutboundMessage;
  /** Seconds since the epoch. */
  createdAt: number;
  /** Number of failed attempts. */
  attempts: number;
}

/**
 * Stores inbound messages until they are answered, and outbound messages until they are sent. Each method is one atomic step, and its
 * change is stored when the promise resolves. Implement it for another store: new members are always optional. Only one process at
 * a time uses a store.
 */
export interface DeliveryStore {
  readonly specVersion: 1;
  /** Stores a message. Returns false, and stores nothing, if its key is known, whether or not the message is finished. */
  receive(message: Omit<StoredMessage, 'batch'>): Promise<boolean>;
  /** Records that these messages belong to one batch. */
  begin(keys: readonly string[], batch: MessageBatch): Promise<void>;
  /** Records that messages are finished, at a time in seconds. Erases their content. Their keys stay known until `prune`. */
  finish(keys: readonly string[], at: number): Promise<void>;
  /** Returns the unfinished messages in the order of arrival. */
  unfinished(): Promise<StoredMessage[]>;
  /** Assigns the waiting messages of an approved sender to a user. Returns their number. */
  assign(identity: { channel: string; sender: string }, userId: string): Promise<number>;
  /** Stores an outbound message. Returns false, and stores nothing, if its key is known, whether or not the message is sent. */
  put(delivery: Omit<StoredDelivery, 'attempts'>): Promise<boolean>;
  /** Returns the outbound messages that are neither sent nor failed, in the order of `put`. */
  pending(): Promise<StoredDelivery[]>;
  /** Records a failed attempt. The message stays pending. */
  attempted(key: string): Promise<void>;
  /** Records the end of a delivery. Erases its content. Its key stays known until `prune`. */
  settle(key: string, end: DeliveryEnd): Promise<void>;
  /** Records the report of a service about a sent message. Ignores unknown ids, and `delivered` after `read`. */
  report(report: DeliveryReport): Promise<void>;
  /** Returns the status of a delivery: `pending`, `sent`, `failed`, `delivered` or `read`. Undefined for an unknown key. */
  status(key: string): Promise<{ status: string; reason?: string | undefined } | undefined>;
  /** Deletes the records of messages that were finished, sent or failed before a time in seconds. Returns their number. */
  prune(before: number): Promise<number>;
  /** Deletes all records of a user, including unfinished and pending messages. */
  deleteUser(userId: string): Promise<void>;
  close?(): Promise<void>;
}

/** The end of a delivery. */
export interface DeliveryEnd {
  status: 'sent' | 'failed';
  /** Seconds since the epoch. */
  at: number;
  /** `id` of the receipt. */
  receiptId?: string | undefined;
  /** Code of the error. */
  reason?: string | undefined;
}
