import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { CallDeadlines } from '../../src/client/call-deadlines.ts';

describe('CallDeadlines', () => {
  it('fails each call after its own time limit, with one timer for all calls (contract 43)', async () => {
    const runtime = new FixedRuntime();
    const failed: string[] = [];
    const deadlines = new CallDeadlines<{ startedAt: number; name: string }>(runtime, 1_000, ({ name }) =>
      failed.push(name),
    );
    const begin = (name: string): { startedAt: number; name: string } => {
      const call = { startedAt: runtime.monotonic(), name };
      deadlines.begin(call);
      return call;
    };
    begin('a');
    await runtime.advance(400);
    const answered = begin('b');
    begin('c');
    expect(runtime.pending).toBe(1);
    await runtime.advance(600);
    expect(failed).toEqual(['a']);
    expect([deadlines.end(answered), deadlines.end(answered)]).toEqual([true, false]);
    await runtime.advance(399);
    expect(failed).toEqual(['a']);
    await runtime.advance(1);
    expect([failed, runtime.pending]).toEqual([['a', 'c'], 0]);
  });

  it('fails a call that continues an earlier call at the limit of that call', async () => {
    const runtime = new FixedRuntime();
    const failed: string[] = [];
    const fail = ({ name }: { name: string }): void => void failed.push(name);
    const deadlines = new CallDeadlines<{ startedAt: number; name: string }>(runtime, 1_000, fail);
    const startedAt = runtime.monotonic();
    await runtime.advance(900);
    deadlines.begin({ startedAt: runtime.monotonic(), name: 'other' });
    deadlines.begin({ startedAt, name: 'continued' });
    await runtime.advance(100);
    expect([failed, runtime.pending]).toEqual([['continued'], 1]);
    await runtime.advance(900);
    expect([failed, runtime.pending]).toEqual([['continued', 'other'], 0]);
  });

  it('has no timer while no call is in progress (contract 43)', () => {
    const runtime = new FixedRuntime();
    const deadlines = new CallDeadlines(runtime, 1_000, () => {});
    const calls = [{ startedAt: 0 }, { startedAt: 0 }];
    for (const call of calls) deadlines.begin(call);
    for (const call of calls) deadlines.end(call);
    expect(runtime.pending).toBe(0);
  });
});
