import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { ChannelHandler } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import type { ChannelCase, ChannelPeer } from './channel-peer.ts';
import { dispatchWith } from './dispatch-with.ts';
import { shortWhile, until } from './until.ts';

const contracts = [45];

export const receiveCases: readonly ChannelCase[] = [
  {
    id: 'receive.answer',
    sentence: 'passes a message to the handler and sends the answer to the same person',
    contracts,
    async check(peer) {
      await dispatchWith(peer, async ({ prompts }) => {
        await peer.write({ id: '1', text: 'hello' });
        await until(() => peer.received().length === 1, 'one answer');
        deepEqual(prompts, ['hello']);
        deepEqual(textsOf(peer), ['You said: hello']);
      });
    },
  },
  {
    id: 'receive.members',
    sentence: 'sets the channel, the sender and a new id on each message',
    contracts,
    async check(peer) {
      const messages = await collect(peer, async () => {
        await peer.write({ id: '1', text: 'one' });
        await peer.write({ id: '2', text: 'two' });
      });
      deepEqual(
        messages.map(({ channel, sender, text }) => ({ channel, sender, text })),
        [
          { channel: peer.channel.name, sender: peer.sender, text: 'one' },
          { channel: peer.channel.name, sender: peer.sender, text: 'two' },
        ],
      );
      ok(messages[0]!.id !== messages[1]!.id, 'Two messages have the same id.');
    },
  },
  {
    id: 'receive.text',
    sentence: 'keeps text unchanged: scripts, emoji, quotes and markup',
    contracts,
    async check(peer) {
      const text = `Grüße, 日本語 👩‍👩‍👧 "quotes" 'and' <b>markup</b> & *stars* {"json": [1]} \\n ; DROP TABLE`;
      const [message] = await collect(peer, () => peer.write({ id: '1', text }));
      equal(message?.text, text);
    },
  },
  {
    id: 'receive.order',
    sentence: 'passes messages to the handler in the order in which they were written',
    contracts,
    async check(peer) {
      const texts = Array.from({ length: 8 }, (_, i) => `message ${i}`);
      const messages = await collect(
        peer,
        async () => {
          for (const [i, text] of texts.entries()) await peer.write({ id: String(i), text });
        },
        texts.length,
      );
      deepEqual(
        messages.map(({ text }) => text),
        texts,
      );
    },
  },
  {
    id: 'receive.repeated',
    sentence: 'keeps the id of a message that is delivered again, so that it is answered once',
    contracts,
    needs: ['ids'],
    async check(peer) {
      await dispatchWith(peer, async ({ prompts }) => {
        await peer.write({ id: '1', text: 'only once' });
        await until(() => peer.received().length === 1, 'one answer');
        await peer.write({ id: '1', text: 'only once' });
        await peer.write({ id: '2', text: 'next' });
        await until(() => peer.received().length === 2, 'an answer to the next message');
        deepEqual(prompts, ['only once', 'next']);
        deepEqual(textsOf(peer), ['You said: only once', 'You said: next']);
      });
    },
  },
  {
    id: 'receive.not-stored',
    sentence: 'does not acknowledge a message that was not stored, and accepts it when it is repeated',
    contracts,
    needs: ['ids'],
    async check(peer) {
      let isDown = true;
      const received: InboundMessage[] = [];
      await peer.channel.start(
        handlerOf(async (message) => {
          if (isDown) throw new TholeError('STORE_UNAVAILABLE', 'The store is down.');
          received.push(message);
        }),
      );
      try {
        await rejects(
          peer.write({ id: '1', text: 'keep me' }),
          'The channel has acknowledged a message that is not stored.',
        );
        isDown = false;
        await peer.write({ id: '1', text: 'keep me' });
        await until(() => received.length === 1, 'the message after the store works again');
        equal(received[0]!.text, 'keep me');
      } finally {
        await peer.channel.stop();
      }
    },
  },
  {
    id: 'receive.acknowledged',
    sentence: 'acknowledges a message only after the handler has stored it',
    contracts,
    needs: ['ids'],
    async check(peer) {
      const store = Promise.withResolvers<void>();
      let isAcknowledged = false;
      await peer.channel.start(handlerOf(() => store.promise));
      try {
        const writing = peer.write({ id: '1', text: 'slow' }).then(() => {
          isAcknowledged = true;
        });
        await shortWhile();
        ok(!isAcknowledged, 'The message was acknowledged before it was stored.');
        store.resolve();
        await writing;
      } finally {
        store.resolve();
        await peer.channel.stop();
      }
    },
  },
  {
    id: 'receive.refused',
    sentence: 'continues to work after a message that the handler rejects permanently',
    contracts,
    async check(peer) {
      const received: string[] = [];
      await peer.channel.start(
        handlerOf(async ({ text }) => {
          if (text === 'bad') throw new TholeError('INVALID_INPUT', 'The message is not accepted.');
          received.push(text);
        }),
      );
      try {
        await peer.write({ id: '1', text: 'bad' }).catch(() => {});
        await peer.write({ id: '2', text: 'good' });
        await until(() => received.length === 1, 'the message after the rejected one');
        deepEqual(received, ['good']);
      } finally {
        await peer.channel.stop();
      }
    },
  },
  {
    id: 'receive.hostile',
    sentence: 'rejects hostile input, does not pass it to the handler, and continues to work',
    contracts,
    needs: ['hostile'],
    async check(peer) {
      const received: string[] = [];
      await peer.channel.start(handlerOf(async ({ text }) => void received.push(text)));
      try {
        ok(peer.hostile, 'A suite that claims "hostile" needs the member hostile of ChannelPeer.');
        for (const hostile of peer.hostile) {
          await hostile.send();
          deepEqual(received, [], `Hostile input became a message: ${hostile.name}.`);
        }
        await shortWhile();
        await peer.write({ id: 'after', text: 'after' });
        await until(() => received.length > 0, 'the message after the hostile input');
        deepEqual(received, ['after']);
      } finally {
        await peer.channel.stop();
      }
    },
  },
  {
    id: 'receive.stop',
    sentence: 'waits in stop() for messages that are being stored',
    contracts,
    async check(peer) {
      const store = Promise.withResolvers<void>();
      let isHandling = false;
      let isStored = false;
      await peer.channel.start(
        handlerOf(async () => {
          isHandling = true;
          await store.promise;
          isStored = true;
        }),
      );
      const writing = peer.write({ id: '1', text: 'last words' }).catch(() => {});
      await until(() => isHandling, 'the message');
      let hasWaited = false;
      const stopping = peer.channel.stop().then(() => (hasWaited = isStored));
      await shortWhile();
      store.resolve();
      await stopping;
      await writing;
      ok(hasWaited, 'stop() did not wait for a message.');
    },
  },
  {
    id: 'receive.restart',
    sentence: 'receives and answers messages again when it is started after stop()',
    contracts,
    async check(peer) {
      await collect(peer, () => peer.write({ id: '1', text: 'before' }));
      await dispatchWith(peer, async ({ prompts }) => {
        await peer.write({ id: '2', text: 'after' });
        await until(() => peer.received().length === 1, 'one answer');
        deepEqual(prompts, ['after']);
        deepEqual(textsOf(peer), ['You said: after']);
      });
    },
  },
];

/** Starts the channel, collects `count` messages, and stops it. */
async function collect(peer: ChannelPeer, write: () => Promise<void>, count?: number): Promise<InboundMessage[]> {
  const received: InboundMessage[] = [];
  await peer.channel.start(handlerOf(async (message) => void received.push(structuredClone(message))));
  try {
    await write();
    await until(() => received.length >= (count ?? 1), `${count ?? 1} messages`);
    await shortWhile();
    return received;
  } finally {
    await peer.channel.stop();
  }
}

export function handlerOf(onMessage: ChannelHandler['onMessage']): ChannelHandler {
  return { onMessage, onReport: async () => {}, onReady: () => {} };
}

export function textsOf(peer: ChannelPeer): string[] {
  return peer.received().map(({ text }) => text);
}
