import type { Channel, ChannelHandler, DeliveryReceipt, InboundMessage, SendRequest } from '../../src/index.ts';

/** A message that the service has accepted. */
export interface Accepted {
  to: string;
  text: string;
  key: string;
}

/** A channel in this process. `onSend` decides whether the service accepts, rejects or does not answer. */
export class LocalChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly accepted: Accepted[] = [];
  readonly requests: SendRequest[] = [];
  /** Called for each attempt. Throw to reject it. */
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

  /** Passes a message of a sender to the handler. */
  async receive(sender: string, text: string, more: Partial<InboundMessage> = {}): Promise<void> {
    await this.handler!.onMessage({ channel: this.name, sender, id: `id-${++this.#count}`, text, ...more });
  }

  /** The accepted texts, in order. */
  get texts(): string[] {
    return this.accepted.map(({ text }) => text);
  }
}
