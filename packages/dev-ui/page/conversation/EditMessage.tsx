import type { Event } from '@thole/core';
import { useState } from 'preact/hooks';
import { EditForm } from '../components/EditForm.tsx';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { focusIfLost } from '../components/focus-if-lost.ts';
import { runAgainFrom } from '../state/run-actions.ts';
import { editKey, writeEdit } from './message-edits.ts';

interface Props {
  event: Event;
  /** The edited text. */
  text: string;
  /** False if the form was open before and returns to the view. */
  isFocused: boolean;
}

/** A form to edit a message. The new text is sent in a new session; the open session stays unchanged. */
export function EditMessage({ event, text: value, isFocused }: Props) {
  // The key of this session: when the form closes, the new session is open.
  const key = editKey(event.id);
  const close = (): void => writeEdit(key, undefined);
  const [error, setError] = useState<unknown>(undefined);
  function cancel(): void {
    const row = document.activeElement?.closest('.entry');
    close();
    focusIfLost(() => row?.querySelector<HTMLElement>('[aria-label="Edit and run again"]'));
  }
  async function runAgain(): Promise<void> {
    const files = event.content?.parts?.filter((part) => part.inlineData ?? part.fileData) ?? [];
    const parts = [...(value.trim() === '' ? [] : [{ text: value }]), ...files];
    if (parts.length === 0) return;
    try {
      await runAgainFrom(event.id, parts);
      close();
    } catch (thrown) {
      setError(thrown);
    }
  }
  return (
    <EditForm
      label="Edit message"
      text={value}
      onText={(text) => writeEdit(key, text)}
      rows={Math.min(10, value.split('\n').length + 1)}
      saveLabel="Run again"
      canSave={value.trim() !== ''}
      onSave={runAgain}
      onCancel={cancel}
      isFocused={isFocused}
    >
      {error !== undefined && <ErrorNote error={error} />}
      <p class="muted edit-note">Continues in a new session. This session stays unchanged.</p>
    </EditForm>
  );
}
