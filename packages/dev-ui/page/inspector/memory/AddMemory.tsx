import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A text to keep in memory, or the one that is there to be put right. */
export function AddMemory(p: {
  text?: string | undefined;
  label?: string | undefined;
  saveLabel?: string | undefined;
  onAdd: (text: string) => Promise<void>;
  onCancel: () => void;
}) {
  const [text, setText] = useState(p.text ?? '');
  const [isSaving, setIsSaving] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);

  async function save(): Promise<void> {
    if (text.trim() === '' || isSaving) return;
    setIsSaving(true);
    await p.onAdd(text.trim());
    setIsSaving(false);
  }

  return (
    <form
      class="value-editor"
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        class="field"
        rows={3}
        aria-label={p.label ?? 'What to remember'}
        placeholder="Prefers a quiet room on a high floor."
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && (e.metaKey || e.ctrlKey)) {
            e.preventDefault();
            e.stopPropagation();
            void save();
          } else if (e.key === 'Escape') {
            e.stopPropagation();
            p.onCancel();
          }
        }}
      />
      <div class="button-row">
        <button type="submit" class="button button-primary" disabled={text.trim() === '' || isSaving}>
          {p.saveLabel ?? 'Remember'}
        </button>
        <button type="button" class="button" onClick={p.onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
