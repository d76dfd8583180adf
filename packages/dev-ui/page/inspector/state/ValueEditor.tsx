import type { Json } from '@thole/core';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { parseValue } from './parse-value.ts';

/** A value as JSON to write in: it is checked while one writes, and saved by the button or by Ctrl or ⌘ with Enter. */
export function ValueEditor(p: {
  label: string;
  value: Json | undefined;
  onSave: (value: Json) => void | Promise<void>;
  onCancel: () => void;
  saveLabel?: string | undefined;
  isFocused?: boolean | undefined;
}) {
  const [text, setText] = useState(() => (p.value === undefined ? '' : JSON.stringify(p.value, undefined, 2)));
  const [isSaving, setIsSaving] = useState(false);
  const [isTouched, setIsTouched] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const parsed = parseValue(text);
  const problem = 'problem' in parsed && isTouched ? parsed.problem : undefined;
  useLayoutEffect(() => {
    if (p.isFocused !== false) field.current?.focus();
  }, []);

  async function save(): Promise<void> {
    setIsTouched(true);
    if (!('value' in parsed) || isSaving) return;
    setIsSaving(true);
    await p.onSave(parsed.value);
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
        class="field mono"
        aria-label={p.label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        rows={Math.min(Math.max(text.split('\n').length, 1), 14)}
        spellcheck={false}
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          setIsTouched(true);
        }}
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
      <p id={id} class="field-problem" role="status">
        {problem}
      </p>
      <div class="button-row">
        <button type="submit" class="button button-primary" disabled={'problem' in parsed || isSaving}>
          {p.saveLabel ?? 'Save'}
        </button>
        <button type="button" class="button" onClick={p.onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
