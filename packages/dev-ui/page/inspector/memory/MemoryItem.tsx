import { isCurrentMemory } from '@thole/core/kit';
import type { MemoryEntry } from '@thole/core';
import { useRef, useState } from 'preact/hooks';
import { formatMoment } from '../../components/format.ts';
import { IconButton } from '../../components/IconButton.tsx';
import { currentSeconds } from '../../state/now.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { draftKeyOf, dropDraft, formDrafts, writeDraft } from '../form-drafts.ts';
import { focusNear } from '../focus-near.ts';
import type { Correction } from './correct-memory.ts';
import type { KnownLine } from './known-lines.ts';
import type { MemoryActions } from './memory-actions.ts';
import { MemoryDetails } from './MemoryDetails.tsx';
import { MemoryForm } from './MemoryForm.tsx';
import { memoryText } from './memory-text.ts';
import { Source } from './Source.tsx';
import { validity } from './validity.ts';

const kinds = { turn: 'turn', fact: 'fact', note: 'note' } as const;

interface Props {
  line: KnownLine;
  /** The best score of the same result list. */
  best: number;
  actions: MemoryActions;
}

/** One memory: its text, its source and its actions. */
export function MemoryItem({ line, best, actions }: Props) {
  const { entry } = line;
  const draftKey = draftKeyOf(actions.user.appName, actions.user.userId, 'memory', entry.id);
  const draft = formDrafts.value.get(draftKey);
  const [correction, setCorrection] = useState<Correction>({});
  const [isEditNew, setIsEditNew] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const isEnded = !isCurrentMemory(entry, currentSeconds());
  const successor = entry.supersededBy && actions.known.find(({ id }) => id === entry.supersededBy);
  const evidenceCount = entry.evidence?.length ?? 0;
  const hasVersions = line.earlierVersions.length > 0 || entry.supersededBy !== undefined;

  function edit(): void {
    setIsEditNew(true);
    setCorrection({});
    writeDraft(draftKey, { text: memoryText(entry) });
  }

  function close(): void {
    dropDraft(draftKey);
    requestAnimationFrame(() => item.current?.querySelector<HTMLElement>('.icon-button')?.focus());
  }

  async function forget(keepEvidence: boolean): Promise<void> {
    const focus = focusNear(item.current);
    if (await actions.forget(entry, { keepEvidence })) focus();
  }

  if (draft)
    return (
      <li class="memory" ref={item}>
        <MemoryForm
          corrected={memoryText(entry)}
          text={draft.text}
          onText={(text) => writeDraft(draftKey, { text })}
          isFocused={isEditNew}
          label="Correct this memory"
          saveLabel="Correct"
          note={entry.kind === 'fact' ? 'The earlier text is kept in the history.' : undefined}
          onSave={async (text) => {
            if (await actions.correct(entry, text, correction)) close();
          }}
          onCancel={close}
        />
      </li>
    );
  return (
    <li class="memory" ref={item} data-memory={entry.id}>
      <div class="memory-line">
        <p class="memory-text">{memoryText(entry)}</p>
        <span class="state-actions">
          {!isEnded && <IconButton icon="edit" label="Correct" onClick={edit} />}
          <IconButton
            icon="trash"
            label="Forget"
            onClick={() => (evidenceCount > 0 || hasVersions ? setIsConfirming(true) : void forget(false))}
          />
        </span>
      </div>
      {successor && <p class="muted memory-now">Now: {memoryText(successor)}</p>}
      <MemoryDetails line={line} best={best} actions={actions}>
        {entry.score !== undefined && <span class="chip">{kinds[entry.kind] ?? entry.kind}</span>}
        {isEnded && <span class="chip">no longer true</span>}
        <Times entry={entry} />
        <Source memory={entry} />
      </MemoryDetails>
      <ConfirmDialog
        open={isConfirming}
        title="Forget this fact?"
        text={`${evidenceText(evidenceCount)}${hasVersions ? 'Its earlier and later versions are forgotten too. ' : ''}This cannot be undone.`}
        action={evidenceCount > 0 ? 'Forget with evidence' : 'Forget all versions'}
        onConfirm={() => void forget(false)}
        other={{ action: 'Only the fact', onConfirm: () => void forget(true) }}
        onClose={() => setIsConfirming(false)}
      />
    </li>
  );
}

function evidenceText(count: number): string {
  if (count === 0) return '';
  const messages = count === 1 ? 'a message' : `${count} messages`;
  return `Its evidence (${messages}) is forgotten too, with all facts that have no other evidence. `;
}

function Times({ entry }: { entry: MemoryEntry }) {
  const validityText = entry.kind === 'fact' ? validity(entry) : '';
  if (validityText !== '') return <span>{validityText}</span>;
  return (
    <>
      {entry.author !== undefined && <span>{entry.author}</span>}
      {entry.timestamp !== undefined && <span>{formatMoment(entry.timestamp)}</span>}
    </>
  );
}
