import type { MemoryEntry, UserRef } from '@thole/core';
import { useId, useRef, useState } from 'preact/hooks';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { focusIfLost } from '../../components/focus-if-lost.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { client } from '../../state/client.ts';
import { appName, userId } from '../../state/location.ts';
import { events, sessionRef } from '../../state/session.ts';
import { toast } from '../../state/toast.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { correctMemory } from './correct-memory.ts';
import { draftKeyOf, dropDraft, formDrafts, writeDraft } from '../form-drafts.ts';
import { forgetMemory } from './forget-memory.ts';
import type { MemoryActions } from './memory-actions.ts';
import { MemoryForm } from './MemoryForm.tsx';
import { MemoryList } from './MemoryList.tsx';
import { SameMemoriesDialog } from './SameMemoriesDialog.tsx';
import { SearchBar } from './SearchBar.tsx';
import { useMemories } from './use-memories.ts';
import { nowMs } from '../../state/clock.ts';

/** The user's memory: search, add, correct and forget entries. */
export function UserMemory({ listsAtOnce }: { listsAtOnce: boolean }) {
  const user: UserRef = { appName: appName.value!, userId: userId.value };
  const draftKey = draftKeyOf(user.appName, user.userId, 'memory');
  const draft = formDrafts.value.get(draftKey);
  const [isAddNew, setIsAddNew] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const [same, setSame] = useState<readonly MemoryEntry[]>([]);
  const memories = useMemories(user, listsAtOnce);
  const { searched, found, error, isLoading, next } = memories;
  const part = useRef<HTMLElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    dropDraft(draftKey);
    focusIfLost(() => addButton.current);
  };
  const id = useId();

  const act = async (successText: string, work: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await memories.act(work);
    if (isDone) toast(successText);
    return isDone;
  };

  const actions: MemoryActions = {
    user,
    known: memories.known ?? [],
    async correct(entry, text, correction) {
      let corrected = entry.id;
      const isDone = await act('Corrected.', async () => {
        corrected = await correctMemory(client.memory, { ...user, entry, text, now: nowMs() / 1_000, correction });
      });
      // The corrected memory may be another entry now.
      if (isDone) requestAnimationFrame(() => focusMemory(part.current, corrected));
      return isDone;
    },
    async forget(entry, { keepEvidence }) {
      let others: readonly MemoryEntry[] = [];
      const successText = entry.evidence?.length && !keepEvidence ? 'Forgotten, with its evidence.' : 'Forgotten.';
      const isDone = await act(successText, async () => {
        others = await forgetMemory(client.memory, { ...user, id: entry.id, keepEvidence });
      });
      if (isDone) setSame(others);
      return isDone;
    },
  };

  return (
    <section ref={part} aria-labelledby={id} class="memory-part">
      <header class="scope-head">
        <h2 id={id}>Memory of {user.userId}</h2>
        <button
          ref={addButton}
          type="button"
          class="button button-quiet"
          aria-expanded={draft !== undefined}
          onClick={() => {
            setIsAddNew(true);
            if (draft) dropDraft(draftKey);
            else writeDraft(draftKey, {});
          }}
        >
          Add memory
        </button>
      </header>
      {draft && (
        <MemoryForm
          text={draft.text}
          onText={(text) => writeDraft(draftKey, { text })}
          isFocused={isAddNew}
          label="New memory"
          saveLabel="Remember"
          onSave={async (text) => {
            const memory = {
              kind: 'note' as const,
              author: 'user',
              content: { role: 'user' as const, parts: [{ text }] },
            };
            if (await act('Remembered.', () => client.memory.add({ ...user, memories: [memory] }))) close();
          }}
          onCancel={close}
        />
      )}
      <SearchBar onSearch={memories.search} />
      {error !== undefined && (
        <ErrorNote
          error={error}
          retry={listsAtOnce && memories.known === undefined ? () => void memories.refresh() : undefined}
        />
      )}
      {isLoading && memories.known === undefined && found === undefined && <Skeleton lines={5} />}
      <p class="visually-hidden" role="status">
        {searched && found && `${found.length} found`}
      </p>
      <MemoryList memories={memories} actions={actions} />
      <div class="button-row">
        {next !== undefined && found === undefined && (
          <button
            type="button"
            class="button"
            aria-disabled={isLoading}
            onClick={() => !isLoading && void memories.more()}
          >
            Show more
          </button>
        )}
        {sessionRef.value && events.value.length > 0 && (
          <button
            type="button"
            class="button"
            aria-disabled={isLoading}
            onClick={() =>
              !isLoading &&
              void act('This session is in memory now.', () => client.memory.saveSession(sessionRef.peek()!))
            }
          >
            Save this session
          </button>
        )}
        <button type="button" class="button button-bad" onClick={() => setIsConfirming(true)}>
          Forget all…
        </button>
      </div>
      <ConfirmDialog
        open={isConfirming}
        title={`Forget all memories of ${user.userId}?`}
        text={`Deletes everything that ${user.appName} remembers about ${user.userId}, from all sessions. This cannot be undone. The sessions are kept.`}
        action="Forget all"
        onConfirm={() => void act('All memories are forgotten.', () => client.memory.forgetAll(user))}
        onClose={() => setIsConfirming(false)}
      />
      <SameMemoriesDialog
        same={same}
        onForget={(ids) => void act('Forgotten.', () => client.memory.forgetMany({ ...user, ids }))}
        onClose={() => setSame([])}
      />
    </section>
  );
}

function focusMemory(part: HTMLElement | null, id: string): void {
  part?.querySelector<HTMLElement>(`[data-memory="${CSS.escape(id)}"] .icon-button`)?.focus();
}
