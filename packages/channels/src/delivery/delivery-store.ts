import type { DeliveryReport } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';

/** Messages that are handled together, by one run. */
export interface MessageBatch {
  /** The `messageId` of the run. */
  id: string;
  /** The interrupt that the messages answer. */
  interruptId?: string | undefined;
}

/** An inbound message that is stored. */
export interface StoredMessage {
  /** Hash of the channel, the address, the channel's id of the message and its edit. */
  key: string;
  /** The user. For a message that waits for the approval of its sender: an empty string. */
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
 * The durable record of what came in and what goes out. Each method is one atomic step and is stored when its promise resolves.
 * Others implement this interface, so it only ever gains optional members. One process at a time uses a store.
 */
export interface DeliveryStore {
  readonly specVersion: 1;
  /** Stores a message. Returns false, and stores nothing, if its key is known: pending, waiting or finished. */
  receive(message: Omit<StoredMessage, 'batch'>): Promise<boolean>;
  /** Records that these messages are handled together. */
  begin(keys: readonly string[], batch: MessageBatch): Promise<void>;
  /** Records that messages were handled, at a time in seconds. Erases their content; their keys stay known until `prune`. */
  finish(keys: readonly string[], at: number): Promise<void>;
  /** Returns the messages that are not finished, in the order of arrival. */
  unfinished(): Promise<StoredMessage[]>;
  /** Gives the waiting messages of an approved sender to a user. Returns their number. */
  assign(identity: { channel: string; sender: string }, userId: string): Promise<number>;
  /** Stores an outbound message. Returns false, and stores nothing, if its key is known: pending, sent or failed. */
  put(delivery: Omit<StoredDelivery, 'attempts'>): Promise<boolean>;
  /** Returns the outbound messages that are neither sent nor failed, in the order of `put`. */
  pending(): Promise<StoredDelivery[]>;
  /** Records a failed attempt that will be repeated. */
  attempted(key: string): Promise<void>;
  /** Records the end of a delivery. Erases its content; its key stays known until `prune`. */
  settle(key: string, end: DeliveryEnd): Promise<void>;
  /** Records the report of a service about a sent message. Ignored: unknown ids, and `delivered` after `read`. */
  report(report: DeliveryReport): Promise<void>;
  /** Returns how far a delivery has come: `pending`, `sent`, `failed`, `delivered` or `read`. Undefined for an unknown key. */
  status(key: string): Promise<{ status: string; reason?: string | undefined } | undefined>;
  /** Forgets the keys of what was finished, sent or failed before a time in seconds. Returns their number. */
  prune(before: number): Promise<number>;
  /** Deletes all records of a user, with pending ones. */
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
