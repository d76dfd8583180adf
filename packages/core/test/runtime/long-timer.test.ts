import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { longTimer } from '../../src/runtime/long-timer.ts';

const DAY_MS = 24 * 3_600_000;

describe('longTimer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('splits waits that are longer than setTimeout allows', () => {
    let fired = 0;
    longTimer(60 * DAY_MS, () => fired++);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  });

  it('can be cancelled during a later part, and calls onHandle with each handle', () => {
    let fired = 0;
    const handles: unknown[] = [];
    const cancel = longTimer(
      60 * DAY_MS,
      () => fired++,
      (handle) => handles.push(handle),
    );
    vi.advanceTimersByTime(30 * DAY_MS);
    cancel();
    vi.advanceTimersByTime(60 * DAY_MS);
    expect([fired, handles.length]).toEqual([0, 2]);
  });

  it('never fires for Infinity', () => {
    let fired = 0;
    longTimer(Infinity, () => fired++)();
    expect([fired, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('longTimer after the process was stopped', () => {
  it('calls the function after input that has arrived, which may cancel it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    const order: string[] = [];
    const end = Promise.withResolvers<void>();
    const cancel = longTimer(5, () => order.push('cancelled timer'));
    longTimer(5, () => {
      order.push('timer');
      end.resolve();
    });
    client.on('data', () => {
      order.push('input');
      cancel();
    });
    socket.write('answer');
    const blockedUntil = performance.now() + 20;
    while (performance.now() < blockedUntil);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(blockedUntil + 5_000);
    onTestFinished(() => clock.mockRestore());
    await end.promise;
    expect(order).toEqual(['input', 'timer']);
    client.destroy();
    server.close();
  });
});
