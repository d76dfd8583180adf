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
  /** Sends the input. Resolves when the channel has rejected or ignored it. */
  send(): Promise<void>;
}

/** A channel, its service and a person who uses it. Write one for each channel that runs the suite. */
export interface ChannelPeer {
  readonly channel: Channel;
  /** The person: `sender` of the messages of `write`. Answers are sent to the same person. */
  readonly sender: string;
  /**
   * Delivers a message of the person, like the service. Resolves when the channel has acknowledged it. Rejects if the channel did not
   * acknowledge it. A repeated id means the same message (claim `ids`).
   */
  write(p: { id: string; text: string }): Promise<void>;
  /** Returns the messages that the person has received, in order. */
  received(): readonly ReceivedMessage[];
  /** Makes the service reject the next sends temporarily (claim `fails`). */
  failNext?(count: number): void;
  /** Makes the service reject the next send permanently (claim `rejects`). */
  rejectNext?(): void;
  /** Hostile inputs of this channel (claim `hostile`). */
  readonly hostile?: readonly HostileInput[] | undefined;
  close(): Promise<void>;
}

/** One test case of the suite. It has the shape of `Case` in `@thole/testing`, whose `register` and `runCases` accept it. */
export interface ChannelCase {
  readonly id: string;
  /** The guarantee, as the end of a sentence about the channel. */
  readonly sentence: string;
  readonly contracts: readonly number[];
  /** Claims that the case needs. */
  readonly needs?: readonly string[] | undefined;
  /** Throws if the channel does not keep the guarantee. Each case gets a new peer. */
  check(peer: ChannelPeer): Promise<void>;
}
