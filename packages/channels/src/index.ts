export type { Channel, ChannelHandler, DeliveryReceipt, DeliveryReport, SendRequest } from './channel/channel.ts';
export type { ChannelFile, GroupInfo, InboundMessage } from './channel/inbound-message.ts';
export type { OutboundMessage } from './channel/outbound-message.ts';
export type { AccessRequest, Identity, Role, User } from './identity/user.ts';
export type { DocumentText, IdentityDocument } from './identity/identity-document.ts';
export { StoredIdentityStore } from './identity/stored-identity-store.ts';
export type { IdentityStore, NewUser } from './identity/identity-store.ts';
export { FileIdentityStore } from './identity/file-identity-store.ts';
export { InMemoryIdentityStore } from './identity/in-memory-identity-store.ts';
export type {
  DeliveryEnd,
  DeliveryStore,
  MessageBatch,
  StoredDelivery,
  StoredMessage,
} from './delivery/delivery-store.ts';
export { InMemoryDeliveryStore } from './delivery/in-memory-delivery-store.ts';
export { Conversation } from './conversation/conversation.ts';
export type { ConversationInfo, ConversationParts } from './conversation/conversation-parts.ts';
export type { CommandCall, SlashCommand } from './commands/slash-commands.ts';
export { Dispatcher } from './dispatcher/dispatcher.ts';
export type { SendToUserRequest } from './dispatcher/dispatcher.ts';
export type { Approval, DispatcherOptions, DispatchFailure, UnknownSenders } from './dispatcher/dispatcher-options.ts';
export { defaultTexts } from './dispatcher/texts.ts';
export type { Texts } from './dispatcher/texts.ts';
