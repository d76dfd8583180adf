import type { Json } from '@thole/core';
import { useState } from 'preact/hooks';
import { EditForm } from '../../components/EditForm.tsx';
import { parseValue } from './parse-value.ts';

/** A JSON editor for a value. It validates the text while the user types. */
export function ValueEditor(p: {
  label: string;
  /** The JSON text. */
  text: string;
  onText: (text: string) => void;
  onSave: (value: Json) => void | Promise<void>;
  onCancel: () => void;
  saveLabel?: string | undefined;
  isFocused?: boolean | undefined;
}) {
  const [isTouched, setIsTouched] = useState(false);
  const parsed = parseValue(p.text);
  return (
    <EditForm
      label={p.label}
      text={p.text}
      onText={(written) => {
        p.onText(written);
        setIsTouched(true);
      }}
      isCode
      rows={Math.min(p.text.split('\n').length, 14)}
      problem={'problem' in parsed && isTouched ? parsed.problem : undefined}
      saveLabel={p.saveLabel ?? 'Save'}
      canSave={'value' in parsed}
      onSave={async () => {
        setIsTouched(true);
        if ('value' in parsed) await p.onSave(parsed.value);
      }}
      onCancel={p.onCancel}
      isFocused={p.isFocused}
    />
  );
}
