import { useState } from 'preact/hooks';
import { EditForm } from '../../components/EditForm.tsx';

/** A form for a new memory, or for the correction of one. */
export function MemoryForm(p: {
  text?: string | undefined;
  label: string;
  saveLabel: string;
  note?: string | undefined;
  onSave: (text: string) => Promise<void>;
  onCancel: () => void;
}) {
  const [text, setText] = useState(p.text ?? '');
  const wanted = text.trim();
  return (
    <EditForm
      label={p.label}
      text={text}
      onText={setText}
      rows={3}
      placeholder="Prefers a quiet room on a high floor."
      saveLabel={p.saveLabel}
      canSave={wanted !== '' && wanted !== p.text?.trim()}
      onSave={async () => {
        if (wanted !== '' && wanted !== p.text?.trim()) await p.onSave(wanted);
      }}
      onCancel={p.onCancel}
    >
      {p.note !== undefined && <p class="muted edit-note">{p.note}</p>}
    </EditForm>
  );
}
