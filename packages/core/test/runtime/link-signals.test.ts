import { getEventListeners } from 'node:events';
import { linkSignals } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const reasonsOf = (...signals: AbortSignal[]): unknown[] => signals.map(({ aborted, reason }) => aborted && reason);

describe('linkSignals', () => {
  it('aborts with the reason of the first aborted signal, also if it was aborted before', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const { signal } = linkSignals(first.signal, second.signal);
    second.abort('second');
    first.abort('first');
    const late = linkSignals(new AbortController().signal, second.signal);
    expect(reasonsOf(signal, late.signal)).toEqual(['second', 'second']);
  });

  it('leaves no listener and follows no signal after unlink', () => {
    const source = new AbortController();
    const { signal, unlink } = linkSignals(source.signal);
    unlink();
    expect(getEventListeners(source.signal, 'abort')).toEqual([]);
    source.abort();
    expect(signal.aborted).toBe(false);
  });
});
