import type { Channel } from '../channel/channel.ts';

/** The other side of a channel: its service and the person who uses it. Written for each channel. */
export interface ChannelPeer {
  readonly channel: Channel;
  /** Address to which answers to `write` go. */
  readonly address: string;
  /** Delivers a message of the person to the channel, as the service does. Resolves when the channel has acknowledged it. */
  write(p: { id: string; text: string }): Promise<void>;
  /** Returns the texts that the person has received, in order. */
  received(): readonly string[];
  /** Makes the service refuse the next `count` sends with a temporary failure. Undefined if it cannot fail. */
  failNext?(count: number): void;
  /** Hostile requests: each must be refused without a message for the handler. */
  hostile?: readonly { name: string; send(): Promise<void> }[] | undefined;
  close(): Promise<void>;
}
