import type { ChannelFile } from './inbound-message.ts';

/** A message to a person. Plain JSON. */
export interface OutboundMessage {
  /** Text of the model, possibly with Markdown. The channel splits and formats it if necessary. */
  text: string;
  files?: readonly ChannelFile[] | undefined;
  /** Id, on the channel, of the message that this message answers. */
  replyTo?: string | undefined;
  /** Short answers that a channel may show as buttons. A pressed button is a message of the user with its text. */
  choices?: readonly string[] | undefined;
}
