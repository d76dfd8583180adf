import type { Channel } from '../channel/channel.ts';

/** A message that the person has received. */
export interface ReceivedMessage {
  text: string;
  /** The idempotency key, if the service receives it (claim `keys`). */
  key?: string | undefined;
}

/** Input that must not become a message. */
export interface HostileInput {
  name: string;
  /** Sends it. Resolves when the channel has refused or ignored it. */
  send(): Promise<void>;
}

/** A channel, its service and the person who uses it. Written for each channel that runs the suite. */
export interface ChannelPeer {
  readonly channel: Channel;
  /** The person, as the channel names the sender of `write`. Answers go to the same person. */
  readonly sender: string;
  /**
   * Delivers a message of the person, as the service does. Resolves when the channel has acknowledged it, and rejects if the channel
   * asks to deliver it again. The same id is the same message (claim `ids`).
   */
  write(p: { id: string; text: string }): Promise<void>;
  /** Returns what the person has received, in order. */
  received(): readonly ReceivedMessage[];
  /** Makes the service refuse the next sends for now (claim `fails`). */
  failNext?(count: number): void;
  /** Makes the service refuse the next send for good (claim `rejects`). */
  rejectNext?(): void;
  /** Hostile inputs of this channel (claim `hostile`). */
  readonly hostile?: readonly HostileInput[] | undefined;
  close(): Promise<void>;
}

/** One promise of the suite. It has the shape of `Case` in `@thole/testing`, so that its `register` and `runCases` accept it. */
export interface ChannelCase {
  readonly id: string;
  /** The promise, as the end of a sentence about the channel. */
  readonly sentence: string;
  readonly contracts: readonly number[];
  /** Claims that the case needs. */
  readonly needs?: readonly string[] | undefined;
  /** Throws if the channel does not keep the promise. The peer is new and not shared. */
  check(peer: ChannelPeer): Promise<void>;
}
