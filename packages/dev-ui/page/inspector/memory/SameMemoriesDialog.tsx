import type { MemoryEntry } from '@thole/core';
import { useEffect, useState } from 'preact/hooks';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { memoryText } from './memory-text.ts';

/** Offers to forget memories that say the same as a forgotten one. Open while there are any. */
export function SameMemoriesDialog(p: {
  same: readonly MemoryEntry[];
  onForget: (ids: readonly string[]) => void;
  onClose: () => void;
}) {
  const [kept, setKept] = useState<ReadonlySet<string>>(() => new Set());
  useEffect(() => setKept(new Set()), [p.same]);
  const chosen = p.same.filter(({ id }) => !kept.has(id)).map(({ id }) => id);

  function toggle(id: string): void {
    const next = new Set(kept);
    if (!next.delete(id)) next.add(id);
    setKept(next);
  }

  return (
    <ConfirmDialog
      open={p.same.length > 0}
      title="Forget these too?"
      text="These memories say the same. A search still finds them."
      action={`Forget ${chosen.length}`}
      isDisabled={chosen.length === 0}
      onConfirm={() => p.onForget(chosen)}
      onClose={p.onClose}
    >
      <ul class="same-memories" aria-label="Memories that say the same">
        {p.same.map((entry) => (
          <li key={entry.id}>
            <label>
              <input type="checkbox" checked={!kept.has(entry.id)} onChange={() => toggle(entry.id)} />
              <span class="memory-text">{memoryText(entry)}</span>
            </label>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
