import { textOf } from '@thole/core';
import type { SessionSummary } from '@thole/core';
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { after } from '../state/clock.ts';
import { client } from '../state/client.ts';
import { displayNameOf } from '../state/title-of.ts';

/** Number of newest events of a session that are searched. */
const MAX_EVENTS = 200;
/** Number of sessions that are read at the same time. */
const CONCURRENCY = 4;

/** Delay before texts that were read are searched: each search reads all known texts. */
const SHOW_MS = 250;

/** The texts of a session. */
interface SessionText {
  text: string;
  lower: string;
}

/** The texts of sessions by `textKey`, read at the first search. */
const texts: Signal<ReadonlyMap<string, SessionText>> = signal<ReadonlyMap<string, SessionText>>(new Map());

/** Texts that were read and are not in `texts` yet. */
const added: Map<string, SessionText> = new Map();
let cancelShow: (() => void) | undefined;

/** True while sessions are being read for a search. */
export const isReadingTexts: Signal<boolean> = signal(false);

const textKey = (session: SessionSummary): string =>
  JSON.stringify([session.appName, session.userId, session.id, session.lastSeq]);

/** True if the session's name, id or texts read so far contain every word. */
export function matches(session: SessionSummary, query: string): boolean {
  const names = `${displayNameOf(session) ?? ''} ${session.id}`.toLocaleLowerCase();
  const text = texts.value.get(textKey(session))?.lower ?? '';
  return query
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word) || text.includes(word));
}

/** Returns the first match in the texts with some context. Undefined if only the name matches. */
export function excerptOf(session: SessionSummary, query: string): string | undefined {
  const { text, lower } = texts.value.get(textKey(session)) ?? { text: '', lower: '' };
  const word = query
    .toLocaleLowerCase()
    .split(/\s+/)
    .find((each) => each !== '');
  const at = word === undefined ? -1 : lower.indexOf(word);
  if (at < 0) return undefined;
  return `${at > 20 ? '…' : ''}${text.slice(Math.max(0, at - 20), at + 60)}`;
}

/** Reads the texts of sessions that are not read yet, a few at a time, until the signal is aborted. */
export async function readTexts(sessions: readonly SessionSummary[], abort: AbortSignal): Promise<void> {
  const unread = sessions.filter((session) => !texts.peek().has(textKey(session)) && !added.has(textKey(session)));
  isReadingTexts.value = true;
  const worker = async (): Promise<void> => {
    for (let session = unread.shift(); session && !abort.aborted; session = unread.shift()) {
      const { appName, userId, id: sessionId } = session;
      const read = await client.sessions
        .get({ appName, userId, sessionId, numRecentEvents: MAX_EVENTS, signal: abort })
        .catch(() => undefined);
      if (!read) continue;
      const found = read.events.map((event) => textOf(event.content)).filter((each) => each !== '');
      const text = found.join(' ').replaceAll(/\s+/g, ' ');
      added.set(textKey(session), { text, lower: text.toLocaleLowerCase() });
      cancelShow ??= after(SHOW_MS, showAdded);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  showAdded();
  // Another search is still reading.
  if (!abort.aborted) isReadingTexts.value = false;
}

function showAdded(): void {
  cancelShow?.();
  cancelShow = undefined;
  if (added.size === 0) return;
  texts.value = new Map([...texts.peek(), ...added]);
  added.clear();
}
