import { textOf } from '@thole/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isRunning } from '../state/run.ts';
import { events, openKey } from '../state/session.ts';

/** Maximum length of an announcement in characters. */
const MAX_LENGTH = 10_000;

/** Announces answers to screen readers that arrive after the session was opened. */
export function LiveRegion() {
  const [text, setText] = useState('');
  const announced = useRef({ key: '', seq: Infinity });
  const list = events.value;
  const key = openKey.value ?? '';
  const running = isRunning.value;
  useEffect(() => {
    const last = list.at(-1);
    if (announced.current.key !== key || !running) {
      announced.current = { key, seq: last?.seq ?? 0 };
      return;
    }
    const fresh = list.filter((event) => (event.seq ?? 0) > announced.current.seq && event.author !== 'user');
    if (fresh.length === 0) return;
    announced.current.seq = last?.seq ?? 0;
    const texts = fresh.map((event) => textOf(event.content)).filter((each) => each !== '');
    const requestCount = fresh.flatMap(({ longRunningToolIds = [] }) => longRunningToolIds).length;
    if (requestCount > 0) texts.push(requestCount === 1 ? 'One open request.' : `${requestCount} open requests.`);
    if (texts.length > 0) setText(`${fresh.at(-1)!.author}: ${texts.join(' ').slice(0, MAX_LENGTH)}`);
  }, [list, key, running]);
  return (
    <div class="visually-hidden" aria-live="polite" aria-atomic="true">
      {text}
    </div>
  );
}
