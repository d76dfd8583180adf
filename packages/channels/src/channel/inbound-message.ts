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
  /** Id of the group on the channel. */
  id: string;
  name?: string | undefined;
  /** True if the message mentions the agent, replies to it, or is a command. Other messages are ignored. */
  isAddressed: boolean;
}

/** A message that a channel has received. Plain JSON. The dispatcher validates it, because all values come from outside. */
export interface InboundMessage {
  /** Name of the channel. */
  channel: string;
  /** Id of the author on the channel, such as a phone number. It identifies the user. */
  sender: string;
  /** Name of the sender, from the channel. Never used to identify a user. */
  senderName?: string | undefined;
  /** Id of the message on the channel. Unique for the channel and `address`. It is the same when the message is delivered again. */
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
  /** Time of the message in seconds since the epoch, by the channel's clock. For display only. */
  sentAt?: number | undefined;
}
