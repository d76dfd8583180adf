import type { Optional, Runtime, SessionService } from '@thole/core';
import type { Channel } from '../channel/channel.ts';
import type { SlashCommand } from '../commands/slash-commands.ts';
import type { ConversationInfo, ConversationParts } from '../conversation/conversation-parts.ts';
import type { DeliveryStore } from '../delivery/delivery-store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { AccessRequest, Identity, Role, User } from '../identity/user.ts';
import type { Texts } from './texts.ts';

/** Rule for messages of unknown senders. */
export type UnknownSenders = 'refuse' | 'approve' | 'welcome';

/** Arguments of `Dispatcher.approve`: a new user, or the id of an existing one. */
export interface Approval extends Identity {
  /** An existing user to whom the sender is linked. Default: a new user. */
  userId?: string | undefined;
  /** Name of a new user. Default: the name of the request, otherwise the sender. */
  name?: string | undefined;
  /** Role of a new user. Default: `user`. */
  role?: Role | undefined;
}

/** A failure in the background. It is also logged. */
export interface DispatchFailure {
  /** The step that failed. */
  step: 'run' | 'command' | 'send' | 'startup';
  channel?: string | undefined;
  user?: User | undefined;
  error: unknown;
}

/** Options of `Dispatcher`. */
export interface DispatcherOptions {
  /** App of the sessions. The same as in the runners. */
  appName: string;
  channels: readonly Channel[];
  identities: IdentityStore;
  /** Stores messages until they are answered and sent. */
  deliveries: DeliveryStore;
  /** The runners' session service. */
  sessions: SessionService;
  /** Creates the runner and the memory parts of a conversation. Called at its first message, and again after `reload`. */
  createParts: (info: ConversationInfo) => ConversationParts | Promise<ConversationParts>;
  /** `refuse` drops the message, `approve` stores it until `approve()` is called, `welcome` creates a guest. Default: `refuse`. */
  unknownSenders?: UnknownSenders | undefined;
  /** Called once for each new access request. */
  onRequest?: ((request: AccessRequest) => void | Promise<void>) | undefined;
  /** Commands in addition to the commands of memory and `/help`. Default: none. */
  commands?: readonly SlashCommand[] | undefined;
  /** Messages that arrive within this time after the first one become one message, in milliseconds. Default: 1,000. */
  coalesceMs?: number | undefined;
  /** Maximum size of the text of a message in characters; longer text is rejected with `INVALID_INPUT`. Default: 32,768. */
  maxTextLength?: number | undefined;
  /** Maximum size of all files of a message in bytes. Default: 20 MiB. */
  maxFileBytes?: number | undefined;
  /** Maximum number of attempts to send a message. Default: 50, which takes about three hours. */
  maxAttempts?: number | undefined;
  /** Wait after the first failed attempt in milliseconds; it doubles each time, up to 5 minutes. Default: 1,000. */
  retryMs?: number | undefined;
  /** Time limit of one attempt to send in milliseconds. Default: 60,000. */
  sendTimeoutMs?: number | undefined;
  /** Time for which repeated messages are recognized, in milliseconds. Default: 30 days. */
  rememberKeysMs?: number | undefined;
  /** Replies of the dispatcher itself. Default: `defaultTexts`, in English. */
  texts?: Optional<Texts> | undefined;
  /** Called for every failure in the background. */
  onError?: ((failure: DispatchFailure) => void) | undefined;
  runtime?: Runtime | undefined;
}
