import type { MemoryEntry } from '@thole/core';
import { useRef } from 'preact/hooks';
import { IconButton } from '../../components/IconButton.tsx';
import { focusNear } from '../focus-near.ts';
import type { MemoryActions } from './memory-actions.ts';
import { memoryText } from './memory-text.ts';
import { validity } from './validity.ts';

/** The earlier versions of a memory, newest first. */
export function HistoryList({ versions, actions }: { versions: readonly MemoryEntry[]; actions: MemoryActions }) {
  return (
    <ol class="memory-behind" aria-label="Earlier versions, newest first">
      {versions.map((entry) => (
        <EarlierVersion key={entry.id} entry={entry} actions={actions} />
      ))}
    </ol>
  );
}

function EarlierVersion({ entry, actions }: { entry: MemoryEntry; actions: MemoryActions }) {
  const item = useRef<HTMLLIElement>(null);
  async function forget(): Promise<void> {
    const focus = focusNear(item.current);
    // The newer version has the same evidence.
    if (await actions.forget(entry, { keepEvidence: true })) focus();
  }
  return (
    <li ref={item}>
      <div class="memory-line">
        <p class="memory-text">{memoryText(entry)}</p>
        <IconButton icon="trash" label="Forget this version" onClick={() => void forget()} />
      </div>
      <p class="muted memory-meta">{validity(entry)}</p>
    </li>
  );
}
