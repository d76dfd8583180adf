import { EditForm } from '../../components/EditForm.tsx';

/** A form for a new memory, or for the correction of one. */
export function MemoryForm(p: {
  /** The text that is corrected. */
  corrected?: string | undefined;
  text: string;
  onText: (text: string) => void;
  /** False if the form was open before and is shown again. */
  isFocused: boolean;
  label: string;
  saveLabel: string;
  note?: string | undefined;
  onSave: (text: string) => Promise<void>;
  onCancel: () => void;
}) {
  const wanted = p.text.trim();
  return (
    <EditForm
      label={p.label}
      text={p.text}
      onText={p.onText}
      isFocused={p.isFocused}
      rows={3}
      placeholder="Prefers a quiet room on a high floor."
      saveLabel={p.saveLabel}
      canSave={wanted !== '' && wanted !== p.corrected?.trim()}
      onSave={async () => {
        if (wanted !== '' && wanted !== p.corrected?.trim()) await p.onSave(wanted);
      }}
      onCancel={p.onCancel}
    >
      {p.note !== undefined && <p class="muted edit-note">{p.note}</p>}
    </EditForm>
  );
}
