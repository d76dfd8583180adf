import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  /** Label for screen readers. */
  label: string;
  text: string;
  onText: (text: string) => void;
  saveLabel: string;
  /** True if the button is enabled. */
  canSave: boolean;
  /** Called by the button and by keys, by keys also while `canSave` is false. Not called again before its promise settles. */
  onSave: () => void | Promise<void>;
  onCancel: () => void;
  rows: number;
  placeholder?: string | undefined;
  /** True for a monospaced text without spell checking. */
  isCode?: boolean | undefined;
  /** The problem with the text. */
  problem?: string | undefined;
  /** True to focus the end of the text. Default: true. */
  isFocused?: boolean | undefined;
  /** Shown between the text and the buttons. */
  children?: ComponentChildren;
}

/** A form that edits a text in place. The button or Ctrl/⌘ with Enter saves; Escape cancels. */
export function EditForm(p: Props) {
  const [isSaving, setIsSaving] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (p.isFocused === false) return;
    field.current?.focus();
    field.current?.setSelectionRange(p.text.length, p.text.length);
  }, []);

  async function save(): Promise<void> {
    if (isSaving) return;
    setIsSaving(true);
    try {
      await p.onSave();
    } finally {
      setIsSaving(false);
    }
  }

  return (
    <form
      class="edit-form"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        class={p.isCode ? 'field mono' : 'field'}
        rows={p.rows}
        aria-label={p.label}
        aria-invalid={p.problem !== undefined}
        aria-describedby={p.problem === undefined ? undefined : id}
        placeholder={p.placeholder}
        spellcheck={!p.isCode}
        value={p.text}
        // Text that is added now would be lost when the form closes.
        readOnly={isSaving}
        onInput={(input) => p.onText(input.currentTarget.value)}
        onKeyDown={(key) => {
          if (key.key === 'Enter' && (key.metaKey || key.ctrlKey)) {
            key.preventDefault();
            key.stopPropagation();
            void save();
          } else if (key.key === 'Escape') {
            key.stopPropagation();
            p.onCancel();
          }
        }}
      />
      <p id={id} class="field-problem" role="status">
        {p.problem}
      </p>
      {p.children}
      <div class="button-row">
        <button type="submit" class="button button-primary" disabled={!p.canSave || isSaving}>
          {p.saveLabel}
        </button>
        <button type="button" class="button" onClick={p.onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
