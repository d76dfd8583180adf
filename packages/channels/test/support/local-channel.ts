import type { Channel, ChannelHandler, DeliveryReceipt, InboundMessage, SendRequest } from '../../src/index.ts';

/** A sent message, as its service has accepted it. */
export interface Accepted {
  to: string;
  text: string;
  key: string;
}

/** A channel in this process. Its service accepts, refuses or hangs, as `onSend` says. */
export class LocalChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly accepted: Accepted[] = [];
  readonly requests: SendRequest[] = [];
  /** Called for each attempt. Throws to refuse it. */
  onSend: (request: SendRequest) => Promise<void> | void = () => {};
  handler: ChannelHandler | undefined;
  #count = 0;

  constructor(name = 'chat') {
    this.name = name;
  }

  async start(handler: ChannelHandler): Promise<void> {
    this.handler = handler;
  }

  async stop(): Promise<void> {
    this.handler = undefined;
  }

  async send(request: SendRequest): Promise<DeliveryReceipt> {
    this.requests.push(request);
    await this.onSend(request);
    this.accepted.push({ to: request.to, text: request.message.text, key: request.idempotencyKey });
    return { id: `sent-${++this.#count}` };
  }

  /** Delivers a message of a sender. */
  async hear(sender: string, text: string, more: Partial<InboundMessage> = {}): Promise<void> {
    await this.handler!.onMessage({ channel: this.name, sender, id: `id-${++this.#count}`, text, ...more });
  }

  /** The texts that were accepted, in order. */
  get texts(): string[] {
    return this.accepted.map(({ text }) => text);
  }
}
