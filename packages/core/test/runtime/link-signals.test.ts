import { getEventListeners } from 'node:events';
import { linkSignals } from '@thole/core/kit';
import { expect, it } from 'vitest';

const reasonsOf = (...signals: AbortSignal[]): unknown[] => signals.map(({ aborted, reason }) => aborted && reason);

it('linkSignals aborts with the reason of the first aborted signal, also if it was aborted before', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { signal } = linkSignals(first.signal, second.signal);
  second.abort('second');
  first.abort('first');
  expect(reasonsOf(signal, linkSignals(new AbortController().signal, second.signal).signal)).toEqual([
    'second',
    'second',
  ]);
});

it('linkSignals leaves no listener and follows no signal after unlink', () => {
  const source = new AbortController();
  const { signal, unlink } = linkSignals(source.signal);
  unlink();
  expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  source.abort();
  expect(signal.aborted).toBe(false);
});
