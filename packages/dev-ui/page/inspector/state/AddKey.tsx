import type { Json } from '@thole/core';
import type { StateScope } from '@thole/core/kit';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FormDraft } from '../form-drafts.ts';
import { keyProblem } from './parse-value.ts';
import { prefixOf } from './state-groups.ts';
import { ValueEditor } from './ValueEditor.tsx';

/** A form for a new key of a scope and its first value. */
export function AddKey(p: {
  draft: FormDraft;
  onDraft: (change: Partial<FormDraft>) => void;
  /** False if the form was open before and is shown again. */
  isFocused: boolean;
  scope: StateScope;
  taken: readonly string[];
  onAdd: (name: string, value: Json) => Promise<void>;
  onCancel: () => void;
}) {
  const { name, text } = p.draft;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (p.isFocused) field.current?.focus();
  }, []);

  async function add(value: Json): Promise<void> {
    const found = keyProblem(name, p.taken, p.scope);
    setProblem(found);
    if (found === undefined) await p.onAdd(name, value);
    else field.current?.focus();
  }

  return (
    <div class="add-key">
      <label class="add-key-name">
        <span class="visually-hidden">Name of the new key</span>
        {prefixOf(p.scope) && <span class="mono muted">{prefixOf(p.scope)}</span>}
        <input
          ref={field}
          class="field mono"
          placeholder="name"
          value={name}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          spellcheck={false}
          onInput={(e) => {
            p.onDraft({ name: e.currentTarget.value });
            setProblem(undefined);
          }}
          onKeyDown={(e) => {
            if (e.key !== 'Escape') return;
            e.stopPropagation();
            p.onCancel();
          }}
        />
      </label>
      <p id={id} class="field-problem" role="status">
        {problem}
      </p>
      <ValueEditor
        label="Value of the new key, as JSON"
        text={text}
        onText={(written) => p.onDraft({ text: written })}
        isFocused={false}
        saveLabel="Add"
        onSave={add}
        onCancel={p.onCancel}
      />
    </div>
  );
}
