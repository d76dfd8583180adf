import { textOf } from '@thole/core';
import { ConfirmDialog } from '../inspector/ConfirmDialog.tsx';
import { titleOf } from '../state/title-of.ts';
import type { Entry } from './entries.ts';
import { askedRemoval, removeRows, rowsToRemove } from './row-actions.ts';

/** Says what a rewind or a new answer removes, and asks for a confirmation. */
export function RemovalDialog() {
  const asked = askedRemoval.value;
  const isAgain = asked?.kind === 'again';
  return (
    <ConfirmDialog
      open={asked !== undefined}
      title={isAgain ? 'Answer this message again?' : 'Rewind the session?'}
      text={asked ? `${removedText(rowsToRemove(asked.entry))} ${effects}` : ''}
      action={isAgain ? 'Answer again' : 'Rewind'}
      onConfirm={() => asked && void removeRows(asked)}
      onClose={() => (askedRemoval.value = undefined)}
    />
  );
}

const effects =
  'The session’s own state and files get their earlier values, open requests are closed, and the memory of these messages is deleted. This cannot be undone.';

function removedText(rows: readonly Entry[]): string {
  const messages = rows.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'text' || kind === 'file'));
  const first = titleOf(messages[0]?.event.content ?? {}) || textOf(messages[0]?.event.content).trim();
  if (first === '') return 'Removes this turn and everything after it.';
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return `Removes “${first}” and everything after it: ${count}.`;
}
