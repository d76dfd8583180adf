import type { Event } from '@thole/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorNote } from '../parts/ErrorNote.tsx';
import { runAgainFrom } from '../state/run-actions.ts';

/** Another message in the place of this one: it goes on in a session of its own, and this one stays as it is. */
export function EditMessage({ event, text, close }: { event: Event; text: string; close: () => void }) {
  const [value, setValue] = useState(text);
  const [error, setError] = useState<unknown>(undefined);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  async function runAgain(): Promise<void> {
    const files = event.content?.parts?.filter((part) => part.inlineData ?? part.fileData) ?? [];
    const parts = [...(value.trim() === '' ? [] : [{ text: value }]), ...files];
    if (parts.length === 0 || busy) return;
    setBusy(true);
    try {
      await runAgainFrom(event.id, parts);
      close();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  }
  return (
    <form
      class="edit-message"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void runAgain();
      }}
    >
      <textarea
        ref={field}
        class="field"
        aria-label="Edit message"
        rows={Math.min(10, value.split('\n').length + 1)}
        value={value}
        onInput={(input) => setValue(input.currentTarget.value)}
        onKeyDown={(key) => {
          if (key.key === 'Escape') close();
          if (key.key === 'Enter' && (key.metaKey || key.ctrlKey)) void runAgain();
        }}
      />
      {error !== undefined && <ErrorNote error={error} />}
      <div class="edit-buttons">
        <span class="muted">Goes on in a new session; this one stays.</span>
        <button type="button" class="button button-quiet" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="button button-primary" disabled={busy || value.trim() === ''}>
          Run again
        </button>
      </div>
    </form>
  );
}
