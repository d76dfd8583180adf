import { TholeError } from '@thole/core';
import type { ChannelHandler, DeliveryReceipt, InboundMessage, SendRequest } from '../../src/index.ts';
import type { ChannelPeer } from '../../src/testing/index.ts';
import { LocalChannel } from '../support/local-channel.ts';

/** A correct channel over a service in this process. */
export class GoodChannel extends LocalChannel {
  failures = 0;
  rejections = 0;
  readonly received: { text: string; key: string }[] = [];
  readonly #pending = new Set<Promise<void>>();

  override async send({ idempotencyKey: key, message, signal }: SendRequest): Promise<DeliveryReceipt> {
    signal?.throwIfAborted();
    if (this.failures-- > 0) throw new TholeError('CHANNEL_UNAVAILABLE', 'The service is down.');
    if (this.rejections-- > 0) throw new TholeError('CHANNEL_REJECTED', 'The service refuses the message.');
    this.received.push({ text: message.text, key });
    return {};
  }

  /** Receives a message of the service. Rejects if the service must deliver it again. */
  async deliver(message: InboundMessage): Promise<void> {
    if (!this.handler) throw new Error('not started');
    const storing = this.handler.onMessage(message).catch((error: unknown) => {
      if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
    });
    this.#pending.add(storing);
    await storing.finally(() => this.#pending.delete(storing));
  }

  /** Receives a message without a valid signature. */
  async deliverUnsigned(message: InboundMessage): Promise<void> {
    if (message.text === '') await this.deliver(message);
  }

  override async stop(): Promise<void> {
    await Promise.allSettled(this.#pending);
    await super.stop();
  }
}

/** Returns a channel with its service and a person. */
export function peerOf(channel: GoodChannel): ChannelPeer {
  const message = { channel: channel.name, sender: 'ada' };
  return {
    channel,
    sender: 'ada',
    write: ({ id, text }) => channel.deliver({ ...message, id, text }),
    received: () => channel.received,
    failNext: (count) => void (channel.failures = count),
    rejectNext: () => void (channel.rejections = 1),
    hostile: [{ name: 'no signature', send: () => channel.deliverUnsigned({ ...message, id: 'x', text: 'hostile' }) }],
    close: async () => {},
  };
}

let count = 0;

/** Channels with one defect each. */
export const channelMutants: readonly { id: string; create: () => GoodChannel }[] = [
  {
    id: 'acknowledges before the message is stored',
    create: () =>
      new (class extends GoodChannel {
        override async deliver(message: InboundMessage): Promise<void> {
          void super.deliver(message).catch(() => {});
        }
      })(),
  },
  {
    id: 'acknowledges a message that could not be stored',
    create: () =>
      new (class extends GoodChannel {
        override async deliver(message: InboundMessage): Promise<void> {
          await super.deliver(message).catch(() => {});
        }
      })(),
  },
  {
    id: 'sets a new id on a repeated message',
    create: () =>
      new (class extends GoodChannel {
        override deliver(message: InboundMessage): Promise<void> {
          return super.deliver({ ...message, id: `${message.id}-${++count}` });
        }
      })(),
  },
  {
    id: 'reads the sender from the text',
    create: () =>
      new (class extends GoodChannel {
        override deliver(message: InboundMessage): Promise<void> {
          return super.deliver({ ...message, sender: message.text.slice(0, 3) });
        }
      })(),
  },
  {
    id: 'changes text',
    create: () =>
      new (class extends GoodChannel {
        override deliver(message: InboundMessage): Promise<void> {
          return super.deliver({ ...message, text: message.text.replaceAll('<', '&lt;') });
        }
      })(),
  },
  {
    id: 'cuts long answers',
    create: () =>
      new (class extends GoodChannel {
        override send(request: SendRequest): Promise<DeliveryReceipt> {
          return super.send({ ...request, message: { text: request.message.text.slice(0, 4_096) } });
        }
      })(),
  },
  {
    id: 'resolves after a failed send',
    create: () =>
      new (class extends GoodChannel {
        override send(request: SendRequest): Promise<DeliveryReceipt> {
          return super.send(request).catch(() => ({}));
        }
      })(),
  },
  {
    id: 'retries by itself, so that a message arrives twice',
    create: () =>
      new (class extends GoodChannel {
        override async send(request: SendRequest): Promise<DeliveryReceipt> {
          await super.send(request);
          return super.send(request);
        }
      })(),
  },
  {
    id: 'passes a new key with each attempt',
    create: () =>
      new (class extends GoodChannel {
        override send(request: SendRequest): Promise<DeliveryReceipt> {
          return super.send({ ...request, idempotencyKey: `key-${++count}` });
        }
      })(),
  },
  {
    id: 'reports a permanent rejection as a temporary failure',
    create: () =>
      new (class extends GoodChannel {
        override send(request: SendRequest): Promise<DeliveryReceipt> {
          return super.send(request).catch((error: unknown) => {
            throw TholeError.is(error, 'CHANNEL_REJECTED') ? new Error('failed') : error;
          });
        }
      })(),
  },
  {
    id: 'accepts unsigned messages',
    create: () =>
      new (class extends GoodChannel {
        override deliverUnsigned(message: InboundMessage): Promise<void> {
          return super.deliver(message);
        }
      })(),
  },
  {
    id: 'does not wait in stop',
    create: () =>
      new (class extends GoodChannel {
        override async stop(): Promise<void> {
          this.handler = undefined;
        }
      })(),
  },
  {
    id: 'cannot be started again',
    create: () =>
      new (class extends GoodChannel {
        #isStopped = false;
        override async stop(): Promise<void> {
          await super.stop();
          this.#isStopped = true;
        }
        override async start(handler: ChannelHandler): Promise<void> {
          if (!this.#isStopped) await super.start(handler);
        }
      })(),
  },
  {
    id: 'sends after an abort',
    create: () =>
      new (class extends GoodChannel {
        override send({ idempotencyKey, message, to }: SendRequest): Promise<DeliveryReceipt> {
          return super.send({ idempotencyKey, message, to });
        }
      })(),
  },
];
