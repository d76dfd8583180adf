import { systemRuntime } from '@thole/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

describe('systemRuntime', () => {
  it('returns seconds since the epoch and milliseconds that never decrease (contract 41)', () => {
    const runtime = systemRuntime();
    expect(Math.abs(runtime.now() - Date.now() / 1000)).toBeLessThan(5);
    expect(runtime.monotonic()).toBeLessThanOrEqual(runtime.monotonic());
  });

  it('returns ids that differ across kinds, calls and runtimes', () => {
    const [one, other] = [systemRuntime(), systemRuntime()];
    const ids = [one, other].flatMap((runtime) =>
      ['event', 'event', 'call', 'session', 'incarnation'].map((kind) => runtime.newId(kind)),
    );
    expect(new Set(ids).size).toBe(10);
    expect(ids[0]).toMatch(/^event-/);
  });

  it('reads no random values before the first id', () => {
    const randomUUID = vi.spyOn(crypto, 'randomUUID');
    onTestFinished(() => randomUUID.mockRestore());
    const runtime = systemRuntime();
    expect(randomUUID).not.toHaveBeenCalled();
    const [first, second] = [runtime.newId('event'), runtime.newId('event')];
    expect(first.slice(0, -2)).toBe(second.slice(0, -2));
    expect(randomUUID).toHaveBeenCalledTimes(1);
  });

  it('ends a sleep when its signal is aborted, before or during it', async () => {
    const runtime = systemRuntime();
    const controller = new AbortController();
    const sleeping = runtime.sleep(60_000, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
    await expect(runtime.sleep(1, controller.signal)).rejects.toBe('enough');
    await runtime.sleep(0);
  });

  it('keeps the process running for a timer with keepAlive only, until it is cancelled', () => {
    const runtime = systemRuntime();
    const waits = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = waits();
    const cancel = runtime.timer(60_000, () => {});
    expect(waits()).toBe(before);
    const cancelKept = runtime.timer(60_000, () => {}, { keepAlive: true });
    expect(waits()).toBe(before + 1);
    cancel();
    cancelKept();
    expect(waits()).toBe(before);
  });

  it.each([Infinity, 2 ** 31, 1e12])('neither fires a timer nor ends a sleep of %d ms at once', async (ms) => {
    const runtime = systemRuntime();
    const controller = new AbortController();
    let fired = 0;
    const cancel = runtime.timer(ms, () => fired++);
    const sleeping = runtime.sleep(ms, controller.signal).then(
      () => fired++,
      () => 'aborted',
    );
    await runtime.sleep(20);
    expect(fired).toBe(0);
    cancel();
    controller.abort();
    expect(await sleeping).toBe('aborted');
  });

  it('lets timers fire before eventLoopTurn resolves', async () => {
    const runtime = systemRuntime();
    let fired = 0;
    runtime.timer(0, () => fired++);
    const until = performance.now() + 5;
    while (performance.now() < until);
    await runtime.eventLoopTurn?.();
    await runtime.eventLoopTurn?.();
    expect(fired).toBe(1);
  });

  it('uses no functions of Node in the edge runtime of Next, where they throw', async () => {
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('EdgeRuntime', 'edge-runtime');
    vi.stubGlobal('setImmediate', () => {
      throw new Error('A Node.js API is used (setImmediate) which is not supported in the Edge Runtime.');
    });
    const runtime = systemRuntime();
    expect(runtime.afterMicrotasks).toBeUndefined();
    await runtime.eventLoopTurn?.();
  });

  it('fires a timer once, and a cancelled timer never', async () => {
    const runtime = systemRuntime();
    let fired = 0;
    runtime.timer(0, () => (fired += 1));
    runtime.timer(0, () => (fired += 10))();
    await runtime.sleep(20);
    expect(fired).toBe(1);
  });
});
