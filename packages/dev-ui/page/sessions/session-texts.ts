import { textOf } from '@thole/core';
import type { SessionSummary } from '@thole/core';
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { client } from '../state/client.ts';
import { displayNameOf } from '../state/title-of.ts';

/** Number of newest events of a session that are searched. */
const MAX_EVENTS = 200;
/** Number of sessions that are read at the same time. */
const CONCURRENCY = 4;

/** The texts of sessions by `textKey`, read at the first search. */
const texts: Signal<ReadonlyMap<string, string>> = signal<ReadonlyMap<string, string>>(new Map());

/** True while sessions are being read for a search. */
export const isReadingTexts: Signal<boolean> = signal(false);

const textKey = (session: SessionSummary): string =>
  JSON.stringify([session.appName, session.userId, session.id, session.lastSeq]);

/** True if the session's name, id or texts read so far contain every word. */
export function matches(session: SessionSummary, query: string): boolean {
  const text =
    `${displayNameOf(session) ?? ''} ${session.id} ${texts.value.get(textKey(session)) ?? ''}`.toLocaleLowerCase();
  return query
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Returns the first match in the texts with some context. Undefined if only the name matches. */
export function excerptOf(session: SessionSummary, query: string): string | undefined {
  const text = texts.value.get(textKey(session));
  const word = query
    .toLocaleLowerCase()
    .split(/\s+/)
    .find((each) => each !== '');
  const at = word === undefined || text === undefined ? -1 : text.toLocaleLowerCase().indexOf(word);
  if (at < 0) return undefined;
  return `${at > 20 ? '…' : ''}${text!.slice(Math.max(0, at - 20), at + 60)}`;
}

/** Reads the texts of sessions that are not read yet, a few at a time, until the signal is aborted. */
export async function readTexts(sessions: readonly SessionSummary[], abort: AbortSignal): Promise<void> {
  const unread = sessions.filter((session) => !texts.peek().has(textKey(session)));
  if (unread.length === 0) return;
  isReadingTexts.value = true;
  const worker = async (): Promise<void> => {
    for (let session = unread.shift(); session && !abort.aborted; session = unread.shift()) {
      const { appName, userId, id: sessionId } = session;
      const read = await client.sessions
        .get({ appName, userId, sessionId, numRecentEvents: MAX_EVENTS, signal: abort })
        .catch(() => undefined);
      if (!read) continue;
      const text = read.events.map((event) => textOf(event.content)).filter((each) => each !== '');
      texts.value = new Map(texts.peek()).set(textKey(session), text.join(' ').replaceAll(/\s+/g, ' '));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  isReadingTexts.value = false;
}
