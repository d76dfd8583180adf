import type { MemoryEntry } from '@thole/core';
import { useEffect, useState } from 'preact/hooks';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { memoryText } from './memory-text.ts';

/** Offers to forget memories with the same content as a forgotten memory. Open while there are such memories. */
export function SameMemoriesDialog(p: {
  same: readonly MemoryEntry[];
  onForget: (ids: readonly string[]) => void;
  onClose: () => void;
}) {
  const [unchecked, setUnchecked] = useState<ReadonlySet<string>>(() => new Set());
  useEffect(() => setUnchecked(new Set()), [p.same]);
  const chosen = p.same.filter(({ id }) => !unchecked.has(id)).map(({ id }) => id);

  function toggle(id: string): void {
    const next = new Set(unchecked);
    if (!next.delete(id)) next.add(id);
    setUnchecked(next);
  }

  return (
    <ConfirmDialog
      open={p.same.length > 0}
      title="Forget these too?"
      text="These memories have the same content. A search still finds them."
      action={`Forget ${chosen.length}`}
      isDisabled={chosen.length === 0}
      onConfirm={() => p.onForget(chosen)}
      onClose={p.onClose}
    >
      <ul class="same-memories" aria-label="Memories with the same content">
        {p.same.map((entry) => (
          <li key={entry.id}>
            <label>
              <input type="checkbox" checked={!unchecked.has(entry.id)} onChange={() => toggle(entry.id)} />
              <span class="memory-text">{memoryText(entry)}</span>
            </label>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
