import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

describe('FixedRuntime', () => {
  it('moves the clock only in advance (contract 43)', async () => {
    const runtime = new FixedRuntime();
    expect(runtime.now()).toBe(1_700_000_000);
    await runtime.advance(1_500);
    expect(runtime.now()).toBe(1_700_000_001.5);
    expect(runtime.monotonic()).toBe(1_500);
  });

  it('fires due timers in the order of their times, and then of their creation', async () => {
    const runtime = new FixedRuntime();
    const fired: string[] = [];
    runtime.timer(20, () => fired.push('late'));
    runtime.timer(10, () => fired.push('first at ten'));
    void runtime.sleep(10).then(() => fired.push('second at ten'));
    runtime.timer(21, () => fired.push('too late'));
    await runtime.advance(20);
    expect(fired).toEqual(['first at ten', 'second at ten', 'late']);
    expect(runtime.pending).toBe(1);
  });

  it('lets promises settle between two timers, and fires timers that they add', async () => {
    const runtime = new FixedRuntime();
    const at: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await runtime.sleep(10);
        at.push(runtime.monotonic());
      }
    };
    void loop();
    await runtime.advance(100);
    expect(at).toEqual([10, 20, 30]);
  });

  it('rejects a sleep with the reason of its signal and removes it', async () => {
    const runtime = new FixedRuntime();
    const controller = new AbortController();
    const sleeping = runtime.sleep(10, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(runtime.sleep(10, controller.signal)).rejects.toBe(reason);
    expect(runtime.pending).toBe(0);
  });

  it('never fires a timer that was cancelled', async () => {
    const runtime = new FixedRuntime();
    let fired = 0;
    const cancel = runtime.timer(10, () => fired++);
    cancel();
    await runtime.advance(20);
    expect(fired).toBe(0);
  });

  it('never fires a timer of Infinity, and ends such a sleep only by its signal', async () => {
    const runtime = new FixedRuntime();
    const controller = new AbortController();
    let fired = 0;
    runtime.timer(Infinity, () => fired++);
    const sleeping = runtime.sleep(Infinity, controller.signal);
    expect(runtime.pending).toBe(0);
    await runtime.advance(1e15);
    expect(fired).toBe(0);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
  });

  it('rejects a time that it cannot advance by', async () => {
    const runtime = new FixedRuntime({ now: 5 });
    for (const ms of [NaN, -1, Infinity, '10' as never])
      await expect(runtime.advance(ms)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(runtime.now()).toBe(5);
  });

  it.each([[1_700_000_000_000], [new Date(0)], ['2026-01-01'], [Number.NaN]])(
    'rejects a start of the clock that is not a time in seconds: %j (contract 41)',
    (now) => {
      const start = (): unknown => new FixedRuntime({ now: now as number });
      expect(start).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(/^now /) }),
      );
    },
  );

  it('moves the clock also while the test library replaces the timers of the process', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const runtime = new FixedRuntime();
    const slept = runtime.sleep(5);
    await runtime.advance(5);
    await slept;
    expect(runtime.monotonic()).toBe(5);
  });

  it('counts ids by kind, returns the same numbers for the same seed, and keeps log lines', () => {
    const [one, other] = [new FixedRuntime(), new FixedRuntime()];
    expect([one.newId('event'), one.newId('event'), one.newId('call')]).toEqual(['event-1', 'event-2', 'call-1']);
    const drawn = [one.random(), one.random(), one.random()];
    expect(drawn).toEqual([other.random(), other.random(), other.random()]);
    expect(new Set(drawn).size).toBe(3);
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
    one.logger.warn('careful', { count: 1 });
    expect(one.logs).toEqual([{ level: 'warn', message: 'careful', fields: { count: 1 } }]);
  });
});
