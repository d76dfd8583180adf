/** A file of a message. */
export interface ChannelFile {
  /** Media type, such as `image/jpeg`. A voice note is a file with an audio type. */
  mimeType: string;
  /** Content as base64. */
  data: string;
  name?: string | undefined;
}

/** A group in which a message was written. */
export interface GroupInfo {
  /** The channel's own id of the group. */
  id: string;
  name?: string | undefined;
  /** True if the message speaks to the agent: it mentions it, answers it, or is a command. Other messages are ignored. */
  isAddressed: boolean;
}

/** A message that a channel has received. Plain JSON. The dispatcher checks it: all values come from outside. */
export interface InboundMessage {
  /** Name of the channel. */
  channel: string;
  /** The channel's own id of the person who wrote it, such as a phone number. It identifies the user. */
  sender: string;
  /** Name of the sender, as the channel shows it. Never used to identify a user. */
  senderName?: string | undefined;
  /** The channel's own id of the message. Unique for the channel and `address`; the same when the channel delivers it again. */
  id: string;
  /** Address of the answers, such as a chat id. Default: `sender`. */
  address?: string | undefined;
  /** Text, possibly empty if there are files. */
  text: string;
  files?: readonly ChannelFile[] | undefined;
  /** Version of an edited message, such as the time of the edit. Together with `id` it identifies the edit. */
  edited?: string | undefined;
  /** Set if the message was written in a group. */
  group?: GroupInfo | undefined;
  /** Time at which it was written, in seconds since the epoch, by the channel's clock. For display only. */
  sentAt?: number | undefined;
}
