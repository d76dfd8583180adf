import { useLayoutEffect, useRef } from 'preact/hooks';
import { Problem } from './Problem.tsx';

/** A labelled field for JSON. */
export function JsonField(p: {
  id: string;
  label: string;
  text: string;
  onText: (text: string) => void;
  problem?: string | undefined;
  description?: string | undefined;
  isFocused?: boolean | undefined;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (p.isFocused) field.current?.focus();
  }, []);
  return (
    <div class="request-field">
      <label for={p.id}>{p.label}</label>
      {p.description && <small class="muted">{p.description}</small>}
      <textarea
        ref={field}
        id={p.id}
        class="field mono"
        rows={Math.min(12, Math.max(2, p.text.split('\n').length))}
        spellcheck={false}
        aria-invalid={p.problem !== undefined}
        aria-describedby={`${p.id}-problem`}
        value={p.text}
        onInput={(input) => p.onText(input.currentTarget.value)}
      />
      <Problem id={`${p.id}-problem`} text={p.problem} />
    </div>
  );
}
