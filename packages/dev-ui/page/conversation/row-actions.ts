import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { focusIfLost } from '../components/focus-if-lost.ts';
import { answerAgain, copySession, rewindBefore } from '../state/rewind-actions.ts';
import { isTouch } from '../state/screen.ts';
import { toast } from '../state/toast.ts';
import type { Entry } from './entries.ts';
import { entries } from './projection.ts';

/** A removal that waits for a confirmation. */
export interface PendingRemoval {
  kind: 'rewind' | 'again';
  entry: Entry;
}

export const pendingRemoval: Signal<PendingRemoval | undefined> = signal<PendingRemoval | undefined>(undefined);

/** The last action of a row that failed, by the row's event. */
export const rowError: Signal<{ eventId: string; error: unknown } | undefined> = signal<
  { eventId: string; error: unknown } | undefined
>(undefined);

let isActing = false;

/** Returns the rows that a rewind before the invocation of this row removes, oldest first. */
export function rowsToRemove({ event }: Entry): readonly Entry[] {
  const rows = entries.value;
  const from = rows.findIndex((row) => row.event.invocationId === event.invocationId);
  return from < 0 ? [] : rows.slice(from);
}

/** Answers a message again. Requests a confirmation if this removes later messages. */
export function requestNewAnswer(entry: Entry): void {
  const isLast = rowsToRemove(entry).every((row) => row.event.invocationId === entry.event.invocationId);
  if (isLast) void removeRows({ kind: 'again', entry });
  else pendingRemoval.value = { kind: 'again', entry };
}

/** Rewinds the open session, or answers a message again. Errors are shown at the row. */
export function removeRows({ kind, entry }: PendingRemoval): Promise<void> {
  const { invocationId } = entry.event;
  return runAction(entry, async () => {
    if (kind === 'again') {
      void answerAgain(invocationId);
    } else {
      await rewindBefore(invocationId);
      toast('The session is rewound.');
    }
    moveFocus();
  });
}

/** Copies the open session up to this row, with the results of its calls. Errors are shown at the row. */
export function copyUpTo(entry: Entry): Promise<void> {
  const results = entry.blocks.map((block) => (block.kind === 'tool' && block.tool.answerEvent?.seq) || 0);
  return runAction(entry, () => copySession(Math.max(entry.event.seq ?? 0, ...results)));
}

async function runAction({ event }: Entry, action: () => Promise<void>): Promise<void> {
  if (isActing) return;
  isActing = true;
  rowError.value = undefined;
  try {
    await action();
  } catch (error) {
    rowError.value = { eventId: event.id, error };
  } finally {
    isActing = false;
  }
}

/** Moves the focus from a removed row to the message box, or on touch screens to the conversation. */
function moveFocus(): void {
  focusIfLost(() => document.querySelector<HTMLElement>(isTouch.peek() ? '.entries' : '#message'));
}
