import { textOf } from '@thole/core';
import { ConfirmDialog } from '../inspector/ConfirmDialog.tsx';
import { titleOf } from '../state/title-of.ts';
import type { Entry } from './entries.ts';
import { pendingRemoval, removeRows, rowsToRemove } from './row-actions.ts';

/** Shows the messages that a rewind or a new answer removes, and requests a confirmation. */
export function RemovalDialog() {
  const pending = pendingRemoval.value;
  const isAgain = pending?.kind === 'again';
  return (
    <ConfirmDialog
      open={pending !== undefined}
      title={isAgain ? 'Answer this message again?' : 'Rewind the session?'}
      text={pending ? `${describeRemoval(rowsToRemove(pending.entry))} ${effects}` : ''}
      action={isAgain ? 'Answer again' : 'Rewind'}
      onConfirm={() => pending && void removeRows(pending)}
      onClose={() => (pendingRemoval.value = undefined)}
    />
  );
}

const effects =
  'Session state and session files are reset to their earlier values, open requests are closed, and the memory of these messages is deleted. This cannot be undone.';

function describeRemoval(rows: readonly Entry[]): string {
  const messages = rows.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'text' || kind === 'file'));
  const first = titleOf(messages[0]?.event.content ?? {}) || textOf(messages[0]?.event.content).trim();
  if (first === '') return 'Removes this turn and everything after it.';
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return `Removes “${first}” and everything after it: ${count}.`;
}
