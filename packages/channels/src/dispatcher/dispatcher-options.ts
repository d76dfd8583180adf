import type { Runtime, SessionService } from '@thole/core';
import type { Channel } from '../channel/channel.ts';
import type { SlashCommand } from '../commands/slash-commands.ts';
import type { ConversationInfo, ConversationParts } from '../conversation/conversation-parts.ts';
import type { DeliveryStore } from '../delivery/delivery-store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { AccessRequest, Identity, Role, User } from '../identity/user.ts';
import type { Texts } from './texts.ts';

/** Treatment of messages of unknown senders. */
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

/** A failure that no caller sees. The logger of the runtime gets it too. */
export interface DispatchFailure {
  /** The step that failed. */
  step: 'run' | 'command' | 'send' | 'startup';
  channel?: string | undefined;
  user?: User | undefined;
  error: unknown;
}

/** Options of `Dispatcher`. */
export interface DispatcherOptions {
  /** App of the sessions; the same as that of the runners. */
  appName: string;
  channels: readonly Channel[];
  identities: IdentityStore;
  /** Stores messages until they are answered and sent. */
  deliveries: DeliveryStore;
  /** The runners' session service. */
  sessions: SessionService;
  /** Creates the runner of a conversation at its first message, and again after `reload`. */
  createParts: (info: ConversationInfo) => ConversationParts | Promise<ConversationParts>;
  /** `refuse` drops the message, `approve` keeps it until `approve` is called, `welcome` creates a guest. Default: `refuse`. */
  unknownSenders?: UnknownSenders | undefined;
  /** Called once for each new access request. */
  onRequest?: ((request: AccessRequest) => void | Promise<void>) | undefined;
  /** Commands in addition to those of memory and `/help`. Default: none. */
  commands?: readonly SlashCommand[] | undefined;
  /** Messages of a conversation that arrive within this time become one message, in milliseconds. Default: 1,000. */
  coalesceMs?: number | undefined;
  /** Maximum size of the text of a message in characters; longer text is `INVALID_INPUT`. Default: 32,768. */
  maxTextLength?: number | undefined;
  /** Maximum size of all files of a message in bytes. Default: 20 MiB. */
  maxFileBytes?: number | undefined;
  /** Maximum number of attempts to send a message. Default: 50, which is about three hours. */
  maxAttempts?: number | undefined;
  /** Wait after the first failed attempt in milliseconds; it doubles each time, up to 5 minutes. Default: 1,000. */
  retryMs?: number | undefined;
  /** Time limit of one attempt to send in milliseconds. Default: 60,000. */
  sendTimeoutMs?: number | undefined;
  /** Time for which repeated messages are recognised, in milliseconds. Default: 30 days. */
  rememberKeysMs?: number | undefined;
  /** Replies that the dispatcher writes itself. Default: English. */
  texts?: Partial<Texts> | undefined;
  /** Called for every failure that no caller sees. */
  onError?: ((failure: DispatchFailure) => void) | undefined;
  runtime?: Runtime | undefined;
}
