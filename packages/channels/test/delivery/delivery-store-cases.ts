import { expect, it } from 'vitest';
import type { DeliveryStore } from '../../src/index.ts';

const message = (id: string, sender = 'a1') => ({ channel: 'chat', sender, id, text: `text ${id} 👋` });
const received = (id: string, userId = 'ada') => ({ key: `k${id}`, userId, message: message(id), receivedAt: 10.5 });
const delivery = (key: string, userId = 'ada') => ({
  ...{ key, userId, channel: 'chat', to: 'a1', createdAt: 11.25 },
  message: { text: `answer ${key} "quoted"`, choices: ['yes', 'no'] },
});

/** Registers the test cases of every `DeliveryStore`. */
export function deliveryStoreCases(open: () => DeliveryStore): void {
  it('stores a message once, and lists unfinished ones in the order of arrival (contract 45)', async () => {
    const store = open();
    expect(await store.receive(received('2'))).toBe(true);
    expect(await store.receive(received('1'))).toBe(true);
    expect(await store.receive(received('2'))).toBe(false);
    expect(await store.unfinished()).toEqual([received('2'), received('1')]);
    await store.begin(['k1', 'k2'], { id: 'batch', interruptId: 'question' });
    expect((await store.unfinished())[1]).toEqual({
      ...received('1'),
      batch: { id: 'batch', interruptId: 'question' },
    });
    await store.finish(['k2'], 20);
    expect((await store.unfinished()).map(({ key }) => key)).toEqual(['k1']);
    expect(await store.receive(received('2'))).toBe(false);
  });

  it('distinguishes keys that differ only in case', async () => {
    const store = open();
    expect(await store.receive({ ...received('a'), key: 'key' })).toBe(true);
    expect(await store.receive({ ...received('b'), key: 'KEY' })).toBe(true);
    expect(await store.put(delivery('key'))).toBe(true);
    expect(await store.put(delivery('KEY'))).toBe(true);
  });

  it('assigns waiting messages to a user', async () => {
    const store = open();
    await store.receive(received('1', ''));
    await store.receive({ ...received('2', ''), message: message('2', 'other') });
    // Some databases ignore spaces at the end, and the case of letters.
    await store.receive({ ...received('3', ''), message: message('3', 'a1 ') });
    await store.receive({ ...received('4', ''), message: message('4', 'A1') });
    expect(await store.assign({ channel: 'chat', sender: 'a1' }, 'ada')).toBe(1);
    expect((await store.unfinished()).map(({ userId }) => userId)).toEqual(['ada', '', '', '']);
  });

  it('stores an outbound message once, and lists pending ones in order (contract 45)', async () => {
    const store = open();
    expect(await store.put(delivery('b'))).toBe(true);
    expect(await store.put(delivery('a'))).toBe(true);
    expect(await store.put(delivery('b'))).toBe(false);
    await store.attempted('a');
    expect(await store.pending()).toEqual([
      { ...delivery('b'), attempts: 0 },
      { ...delivery('a'), attempts: 1 },
    ]);
    await store.settle('b', { status: 'sent', at: 20, receiptId: 'r1' });
    await store.settle('a', { status: 'failed', at: 21, reason: 'CHANNEL_REJECTED' });
    expect(await store.pending()).toEqual([]);
    expect(await store.put(delivery('b'))).toBe(false);
    expect(await store.status('a')).toMatchObject({ status: 'failed', reason: 'CHANNEL_REJECTED' });
    await store.report({ channel: 'chat', id: 'r1', status: 'delivered' });
    await store.report({ channel: 'chat', id: 'unknown', status: 'read' });
    expect(await store.status('b')).toMatchObject({ status: 'delivered' });
    await store.report({ channel: 'chat', id: 'r1', status: 'read' });
    // Reports may come out of order.
    await store.report({ channel: 'chat', id: 'r1', status: 'delivered' });
    expect(await store.status('b')).toMatchObject({ status: 'read' });
    expect(await store.status('c')).toBeUndefined();
  });

  it('prunes only records that ended before the time, and no pending ones', async () => {
    const store = open();
    await store.receive(received('1'));
    await store.receive(received('2'));
    await store.put(delivery('a'));
    await store.put(delivery('b'));
    await store.finish(['k1'], 100);
    await store.settle('a', { status: 'sent', at: 200 });
    expect(await store.prune(100)).toBe(0);
    expect(await store.prune(150)).toBe(1);
    expect(await store.prune(1_000)).toBe(1);
    expect(await store.receive(received('1'))).toBe(true);
    expect(await store.put(delivery('b'))).toBe(false);
    expect(await store.unfinished()).toHaveLength(2);
  });

  it('deletes all records of one user', async () => {
    const store = open();
    await store.receive(received('1'));
    await store.receive(received('2', 'bob'));
    await store.put(delivery('a'));
    await store.put(delivery('b', 'bob'));
    await store.deleteUser('ada');
    expect((await store.unfinished()).map(({ userId }) => userId)).toEqual(['bob']);
    expect((await store.pending()).map(({ userId }) => userId)).toEqual(['bob']);
  });
}
