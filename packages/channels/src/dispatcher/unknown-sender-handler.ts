import type { Runtime } from '@thole/core';
import type { InboundMessage } from '../channel/inbound-message.ts';
import { hashOf } from '../channel/read-inbound-message.ts';
import type { DeliveryStore, StoredMessage } from '../delivery/delivery-store.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import { isSame, keyOf } from '../identity/identity-book.ts';
import type { AccessRequest, Identity, User } from '../identity/user.ts';
import type { Approval, UnknownSenders } from './dispatcher-options.ts';
import type { Texts } from './texts.ts';

/** Arguments of `UnknownSenderHandler`. */
export interface UnknownSenderOptions {
  readonly mode: UnknownSenders;
  readonly identities: IdentityStore;
  readonly deliveries: DeliveryStore;
  readonly outbox: Outbox;
  readonly texts: Texts;
  readonly runtime: Runtime;
  readonly onRequest: (request: AccessRequest) => void;
}

/** Maximum number of messages that wait for the approval of one sender. Later messages are dropped. */
const MAX_WAITING = 20;

/** Handles messages of senders without a user. */
export class UnknownSenderHandler {
  readonly #options: UnknownSenderOptions;
  /** Number of waiting messages by identity. */
  readonly #waiting = new Map<string, number>();

  constructor(options: UnknownSenderOptions) {
    this.#options = options;
  }

  /**
   * Counts the waiting messages of one sender from an earlier process. If the sender has a user now, assigns and returns them:
   * the process ended during the approval, or the sender was linked directly in the store.
   */
  async recover(messages: readonly StoredMessage[]): Promise<StoredMessage[]> {
    const { deliveries, identities } = this.#options;
    const { channel, sender } = messages[0]!.message;
    const user = await identities.find({ channel, sender });
    if (user) await deliveries.assign({ channel, sender }, user.id);
    else for (const { message } of messages) this.#count(message);
    return user ? messages.map((each) => ({ ...each, userId: user.id })) : [];
  }

  /** With `welcome`, creates and returns a user. Otherwise stores or drops the message, and returns undefined. */
  async handle(message: InboundMessage, key: string): Promise<User | undefined> {
    const { channel, sender, senderName } = message;
    const { identities, mode, texts } = this.#options;
    if (mode === 'welcome') {
      const name = senderName ?? sender;
      return identities.create({ name, role: 'guest', identities: [{ channel, sender }] });
    }
    if (mode === 'approve') await this.#storeUntilApproved(message, key);
    else await this.#sendNote(message, 'refused', texts.refused);
    return undefined;
  }

  /**
   * Links a sender to a user. Returns the user and the waiting messages. Throws `USER_NOT_FOUND` or `IDENTITY_TAKEN`.
   */
  async approve(approval: Approval): Promise<{ user: User; waiting: StoredMessage[] }> {
    const { channel, sender, userId, role } = approval;
    const identity = { channel, sender };
    const { deliveries, identities, texts } = this.#options;
    const request = (await identities.listRequests()).find((each) => isSame(each, identity));
    const name = approval.name ?? request?.name ?? sender;
    const user =
      userId === undefined
        ? await identities.create({ name, role, identities: [identity] })
        : await identities.link(userId, identity);
    this.#waiting.delete(keyOf(identity));
    await deliveries.assign(identity, user.id);
    if (request) await this.#sendNote(identity, 'approved', texts.approved, request);
    const waiting = (await deliveries.unfinished()).filter(
      (each) => each.userId === user.id && !each.batch && isSame(each.message, identity),
    );
    return { user, waiting };
  }

  /** Removes the access request of a sender and drops the waiting messages. Returns false if there is no request. */
  async reject(identity: Identity): Promise<boolean> {
    const { deliveries, identities, runtime } = this.#options;
    const existed = await identities.removeRequest(identity);
    this.#waiting.delete(keyOf(identity));
    const waiting = (await deliveries.unfinished()).filter(
      (each) => each.userId === '' && isSame(each.message, identity),
    );
    await deliveries.finish(
      waiting.map(({ key }) => key),
      runtime.now(),
    );
    return existed;
  }

  #count(identity: Identity): void {
    const key = keyOf(identity);
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1);
  }

  async #storeUntilApproved(message: InboundMessage, key: string): Promise<void> {
    const { deliveries, identities, onRequest, runtime, texts } = this.#options;
    const { channel, sender, senderName: name } = message;
    const request = { channel, sender, ...(name !== undefined && { name }), requestedAt: runtime.now() };
    const isNew = await identities.request(request);
    const open = isNew ? request : (await identities.listRequests()).find((each) => isSame(each, message));
    // The list of access requests is full, or this sender has too many waiting messages.
    if (!open || (this.#waiting.get(keyOf(message)) ?? 0) >= MAX_WAITING) return;
    if (await deliveries.receive({ key, userId: '', message, receivedAt: runtime.now() })) this.#count(message);
    await this.#sendNote(message, 'waiting', texts.waiting, open);
    if (isNew) onRequest(request);
  }

  /** Sends a text to a sender, once for each kind, address and access request. */
  async #sendNote(
    p: Identity & { address?: string | undefined },
    kind: string,
    text: string,
    request?: AccessRequest,
  ): Promise<void> {
    if (text === '') return;
    const { channel, sender, address: to = sender } = p;
    const { outbox, runtime } = this.#options;
    const key = hashOf(['stranger', kind, channel, to, ...(request ? [request.requestedAt] : [])]);
    await outbox.put({ key, userId: '', channel, to, message: { text }, createdAt: runtime.now() });
  }
}
