import type { MemoryEntry } from '@thole/core';
import { useRef, useState } from 'preact/hooks';
import { formatMoment } from '../../parts/format.ts';
import { IconButton } from '../../parts/IconButton.tsx';
import { go, sessionId } from '../../state/location.ts';
import { focusNear } from '../focus-near.ts';
import { AddMemory } from './AddMemory.tsx';
import { Score } from './Score.tsx';

const kinds = { turn: 'said', fact: 'fact', note: 'note' } as const;

/** One memory: what it says, where it came from, and what can be done with it. */
export function MemoryItem(p: {
  memory: MemoryEntry;
  /** The best score of the same answer. */
  best: number;
  onCorrect: (text: string) => Promise<boolean>;
  onForget: () => Promise<boolean>;
}) {
  const { memory } = p;
  const [isEdited, setIsEdited] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const text = (memory.content.parts ?? []).map((part) => part.text ?? '').join('\n');
  const ended = memory.supersededBy !== undefined || memory.validTo !== undefined;

  function close(): void {
    setIsEdited(false);
    requestAnimationFrame(() => item.current?.querySelector<HTMLElement>('.icon-button')?.focus());
  }

  async function forget(): Promise<void> {
    const focus = focusNear(item.current);
    if (await p.onForget()) focus();
  }

  if (isEdited)
    return (
      <li class="memory" ref={item}>
        <AddMemory
          text={text}
          label="Correct this memory"
          saveLabel="Correct"
          onAdd={async (corrected) => {
            if (await p.onCorrect(corrected)) close();
          }}
          onCancel={close}
        />
      </li>
    );
  return (
    <li class="memory" ref={item}>
      <div class="memory-line">
        <p class="memory-text">{text}</p>
        <span class="state-actions">
          <IconButton icon="edit" label="Correct" onClick={() => setIsEdited(true)} />
          <IconButton icon="trash" label="Forget" onClick={() => void forget()} />
        </span>
      </div>
      <p class="muted memory-meta">
        <span class="chip">{kinds[memory.kind] ?? memory.kind}</span>
        {ended && <span class="chip">no longer true</span>}
        {memory.author !== undefined && <span>{memory.author}</span>}
        {memory.timestamp !== undefined && <span>{formatMoment(memory.timestamp)}</span>}
        <Source memory={memory} />
        <Score score={memory.score} best={p.best} />
      </p>
    </li>
  );
}

function Source({ memory: { sessionId: session, eventId } }: { memory: MemoryEntry }) {
  if (session === undefined) return null;
  const isHere = session === sessionId.value;
  return (
    <button type="button" class="link" title={session} onClick={() => go({ session, event: eventId })}>
      {isHere ? 'from this session' : 'from another session'}
    </button>
  );
}
