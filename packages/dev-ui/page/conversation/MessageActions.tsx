import { IconButton } from '../components/IconButton.tsx';
import { isRunning } from '../state/run.ts';
import type { Entry } from './entries.ts';
import { pendingRemoval, requestNewAnswer, copyUpTo } from './row-actions.ts';

/** True if a row has a text, a file or an error, not only calls. */
export function isMessage({ blocks }: Entry): boolean {
  return blocks.some(({ kind }) => kind === 'text' || kind === 'file' || kind === 'error');
}

/** Actions of a message that change the session, or copy it. */
export function MessageActions({ entry }: { entry: Entry }) {
  const disabled = isRunning.value;
  return (
    <>
      <IconButton plain label="Answer again" icon="again" disabled={disabled} onClick={() => requestNewAnswer(entry)} />
      <IconButton plain label="Copy the session up to here" icon="branch" onClick={() => void copyUpTo(entry)} />
      <IconButton
        plain
        label="Rewind here"
        icon="undo"
        disabled={disabled}
        onClick={() => (pendingRemoval.value = { kind: 'rewind', entry })}
      />
    </>
  );
}
