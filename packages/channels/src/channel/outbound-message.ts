import type { ChannelFile } from './inbound-message.ts';

/** A message to a person. Plain JSON. */
export interface OutboundMessage {
  /** Plain text, as models write it, possibly with Markdown. The channel splits or formats it as it needs. */
  text: string;
  files?: readonly ChannelFile[] | undefined;
  /** The channel's own id of the message that this one answers. */
  replyTo?: string | undefined;
  /** Short answers that a channel may show as buttons. Pressing one sends its text as a message of the user. */
  choices?: readonly string[] | undefined;
}
