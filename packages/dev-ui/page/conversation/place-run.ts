import { createEventActions } from '@thole/core';
import type { Event } from '@thole/core';
import type { SentMessage } from '../state/sent-message.ts';
import { toStreamingEntry } from './entries.ts';
import type { Entry } from './entries.ts';

/** The parts of a run that are not stored. */
interface RunRows {
  /** The stored events. Parts of the run that are stored are left out. */
  events: readonly Event[];
  sent: readonly SentMessage[];
  streaming: readonly Event[];
  unfinished: readonly Event[];
}

/**
 * Returns the stored rows together with the rows of a run that are not stored. A sent message is above all later rows, also
 * before its event is known. Answers that are being written are last.
 */
export function placeRun(stored: readonly Entry[], run: RunRows): readonly Entry[] {
  const { sent, streaming, unfinished, events } = run;
  if (sent.length === 0 && streaming.length === 0 && unfinished.length === 0) return stored;
  const rows = [...stored];
  const known = new Set(events.map((event) => event.id));
  for (const event of unfinished) if (!known.has(event.id)) insertUnfinished(rows, event);
  for (const message of sent) if (!isStored(message, events)) insertSent(rows, message);
  for (const event of streaming) {
    if (known.has(event.id)) continue;
    const row = toStreamingEntry(event, rows.at(-1));
    if (row.blocks.length > 0) rows.push({ ...row, status: 'writing' });
  }
  return rows;
}

/** True if the message is stored: there is a message of the user after the events that were known when it was sent. */
function isStored({ afterSeq }: SentMessage, events: readonly Event[]): boolean {
  for (let i = events.length - 1; i >= 0 && (events[i]!.seq ?? Infinity) > afterSeq; i--)
    if (events[i]!.author === 'user' && events[i]!.content !== undefined) return true;
  return false;
}

function insertSent(rows: Entry[], { content, afterSeq, timestamp }: SentMessage): void {
  const actions = createEventActions();
  const event: Event = { id: `sent ${timestamp}`, invocationId: '', author: 'user', timestamp, content, actions };
  const row: Entry = { ...toStreamingEntry(event, undefined), status: 'sending' };
  const after = rows.findIndex((each) => (each.event.seq ?? 0) > afterSeq);
  if (row.blocks.length > 0) rows.splice(after < 0 ? rows.length : after, 0, row);
}

/** Inserts the row above the closing record of its run, or below the last row of its run. */
function insertUnfinished(rows: Entry[], event: Event): void {
  const isOfRun = (row: Entry): boolean => row.event.invocationId === event.invocationId;
  const end = rows.findIndex((row) => isOfRun(row) && row.event.errorCode !== undefined);
  const at = end >= 0 ? end : rows.findLastIndex(isOfRun) + 1 || rows.length;
  const row = toStreamingEntry(event, rows[at - 1]);
  const note = { kind: 'note' as const, text: 'The answer ended here. This text is not stored in the session.' };
  if (row.blocks.length > 0) rows.splice(at, 0, { ...row, blocks: [...row.blocks, note], status: 'unfinished' });
}
