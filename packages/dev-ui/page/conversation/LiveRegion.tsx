import { textOf } from '@thole/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isRunning } from '../state/run.ts';
import { events, openKey } from '../state/session.ts';

/** Announces new answers to screen readers, except those from before the session was opened. */
export function LiveRegion() {
  const [text, setText] = useState('');
  const heard = useRef({ key: '', seq: Infinity });
  const list = events.value;
  const key = openKey.value ?? '';
  const running = isRunning.value;
  useEffect(() => {
    const last = list.at(-1);
    if (heard.current.key !== key || !running) {
      heard.current = { key, seq: last?.seq ?? 0 };
      return;
    }
    const fresh = list.filter((event) => (event.seq ?? 0) > heard.current.seq && event.author !== 'user');
    if (fresh.length === 0) return;
    heard.current.seq = last?.seq ?? 0;
    const said = fresh.map((event) => textOf(event.content)).filter((each) => each !== '');
    const asked = fresh.flatMap(({ longRunningToolIds = [] }) => longRunningToolIds).length;
    if (asked > 0) said.push(asked === 1 ? 'One open request.' : `${asked} open requests.`);
    if (said.length > 0) setText(`${fresh.at(-1)!.author}: ${said.join(' ')}`);
  }, [list, key, running]);
  return (
    <div class="visually-hidden" aria-live="polite" aria-atomic="true">
      {text}
    </div>
  );
}
