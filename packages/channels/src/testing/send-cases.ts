import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { TholeError } from '@thole/core';
import { InMemoryDeliveryStore } from '../delivery/in-memory-delivery-store.ts';
import type { DeliveryEnd } from '../delivery/delivery-store.ts';
import type { ChannelCase, ChannelPeer } from './channel-peer.ts';
import { dispatchWith } from './dispatch-with.ts';
import { handlerOf, textsOf } from './receive-cases.ts';
import { shortWhile, until } from './until.ts';

const contracts = [45];

export const sendCases: readonly ChannelCase[] = [
  {
    id: 'send.text',
    sentence: 'delivers text completely: lines, scripts, emoji and markup',
    contracts,
    async check(peer) {
      const text = `Two\nlines. Grüße, 日本語 👩‍👩‍👧 <b>markup</b> & "quotes" *stars* _lines_ [x](y)`;
      await sendAll(peer, [text]);
      equal(joined(peer), withoutSpaces(text));
    },
  },
  {
    id: 'send.long',
    sentence: 'delivers a text of 10,000 characters completely',
    contracts,
    async check(peer) {
      const text = Array.from({ length: 1_250 }, (_, i) => `word${String(i).padStart(3, '0')}`).join(' ');
      await sendAll(peer, [text]);
      equal(joined(peer), withoutSpaces(text));
    },
  },
  {
    id: 'send.order',
    sentence: 'delivers messages in the order in which they were sent',
    contracts,
    async check(peer) {
      const texts = Array.from({ length: 8 }, (_, i) => `answer ${i}`);
      await sendAll(peer, texts);
      deepEqual(textsOf(peer), texts);
    },
  },
  {
    id: 'send.unasked',
    sentence: 'delivers a message that is not an answer to the sender of an identity',
    contracts,
    async check(peer) {
      await dispatchWith(peer, async ({ dispatcher }) => {
        await dispatcher.send({ userId: 'ada', message: 'Remember the milk.' });
        await until(() => peer.received().length === 1, 'the message');
        deepEqual(textsOf(peer), ['Remember the milk.']);
      });
    },
  },
  {
    id: 'send.retried',
    sentence: 'rejects a send that fails temporarily, so that it is repeated until it succeeds',
    contracts,
    needs: ['fails'],
    async check(peer) {
      await dispatchWith(peer, async ({ dispatcher }) => {
        ok(typeof peer.failNext === 'function', 'A suite that claims "fails" needs failNext of ChannelPeer.');
        peer.failNext(3);
        await dispatcher.send({ userId: 'ada', message: 'first' });
        await dispatcher.send({ userId: 'ada', message: 'second' });
        await until(() => peer.received().length >= 2, 'both messages');
        await shortWhile();
        deepEqual(textsOf(peer), ['first', 'second']);
      });
    },
  },
  {
    id: 'send.key',
    sentence: 'passes the same idempotency key with each attempt, and another key with each message',
    contracts,
    needs: ['keys'],
    async check(peer) {
      const deliveries = new LosesFirstRecord();
      await dispatchWith(
        peer,
        async ({ dispatcher }) => {
          await dispatcher.send({ userId: 'ada', message: 'first', idempotencyKey: 'key-1' });
          await dispatcher.send({ userId: 'ada', message: 'second', idempotencyKey: 'key-2' });
          await until(() => peer.received().length >= 3, 'the first message twice, then the second one');
          await shortWhile();
          deepEqual(
            peer.received().map(({ key }) => key),
            ['key-1', 'key-1', 'key-2'],
          );
        },
        { deliveries },
      );
    },
  },
  {
    id: 'send.rejected',
    sentence: 'throws CHANNEL_REJECTED if the service rejects a message permanently, and sends the next',
    contracts,
    needs: ['rejects'],
    async check(peer) {
      await dispatchWith(peer, async ({ dispatcher, failures }) => {
        ok(typeof peer.rejectNext === 'function', 'A suite that claims "rejects" needs rejectNext of ChannelPeer.');
        peer.rejectNext();
        const { key } = await dispatcher.send({ userId: 'ada', message: 'refused' });
        await dispatcher.send({ userId: 'ada', message: 'accepted' });
        await until(() => peer.received().length >= 1, 'the accepted message');
        await shortWhile();
        deepEqual(textsOf(peer), ['accepted']);
        ok(key !== '');
        equal(failures.filter(({ error }) => TholeError.is(error, 'CHANNEL_REJECTED')).length, 1);
      });
    },
  },
  {
    id: 'send.aborted',
    sentence: 'rejects a send whose signal is already aborted',
    contracts,
    needs: ['fails'],
    async check(peer) {
      await peer.channel.start(handlerOf(async () => {}));
      try {
        const signal = AbortSignal.abort(new Error('too late'));
        const request = { to: peer.sender, message: { text: 'never' }, idempotencyKey: 'k', signal };
        await rejects(async () => peer.channel.send(request));
        await shortWhile();
        deepEqual(textsOf(peer), []);
      } finally {
        await peer.channel.stop();
      }
    },
  },
];

/** Fails to record the first sent message, as if the process had been killed after the send. */
class LosesFirstRecord extends InMemoryDeliveryStore {
  #isLost = false;

  override async settle(key: string, end: DeliveryEnd): Promise<void> {
    if (!this.#isLost) {
      this.#isLost = true;
      throw new TholeError('STORE_UNAVAILABLE', 'The record is lost.');
    }
    await super.settle(key, end);
  }
}

async function sendAll(peer: ChannelPeer, texts: readonly string[]): Promise<void> {
  await dispatchWith(peer, async ({ dispatcher }) => {
    for (const text of texts) await dispatcher.send({ userId: 'ada', message: text });
    const expected = withoutSpaces(texts.join('')).length;
    await until(() => joined(peer).length >= expected, 'all texts');
    await shortWhile();
  });
}

/** Returns all received texts without spaces, because a channel may split a long text between words. */
function joined(peer: ChannelPeer): string {
  return withoutSpaces(textsOf(peer).join(''));
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}
