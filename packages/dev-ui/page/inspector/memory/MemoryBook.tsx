import type { MemoryEntry, UserRef } from '@thole/core';
import { useId, useState } from 'preact/hooks';
import { Empty } from '../../parts/Empty.tsx';
import { ErrorNote } from '../../parts/ErrorNote.tsx';
import { Skeleton } from '../../parts/Skeleton.tsx';
import { client } from '../../state/client.ts';
import { appName, userId } from '../../state/location.ts';
import { events, sessionRef } from '../../state/session.ts';
import { toast } from '../../state/toast.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { AddMemory } from './AddMemory.tsx';
import { bestScore } from './best-score.ts';
import { MemoryItem } from './MemoryItem.tsx';
import { useMemories } from './use-memories.ts';

/** What is remembered of the user: searched, added to, corrected, forgotten. */
export function MemoryBook({ listsAtOnce }: { listsAtOnce: boolean }) {
  const user: UserRef = { appName: appName.value!, userId: userId.value };
  const [query, setQuery] = useState('');
  const [adds, setAdds] = useState(false);
  const [asks, setAsks] = useState(false);
  const book = useMemories(user, listsAtOnce);
  const { memories, searched, error, isLoading, next } = book;
  const id = useId();

  const act = async (done: string, work: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await book.act(work);
    if (isDone) toast(done);
    return isDone;
  };

  return (
    <section aria-labelledby={id} class="memory-part">
      <header class="scope-head">
        <h3 id={id}>Memory of {user.userId}</h3>
        <button type="button" class="button button-quiet" aria-expanded={adds} onClick={() => setAdds(!adds)}>
          Add memory
        </button>
      </header>
      {adds && (
        <AddMemory
          onAdd={async (text) => {
            const memory = {
              kind: 'note' as const,
              author: 'user',
              content: { role: 'user' as const, parts: [{ text }] },
            };
            if (await act('Remembered.', () => client.memory.add({ ...user, memories: [memory] }))) setAdds(false);
          }}
          onCancel={() => setAdds(false)}
        />
      )}
      <form
        class="panel-bar"
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
          void book.search(query);
        }}
      >
        <input
          class="field"
          type="search"
          placeholder="Search memory"
          aria-label="Search memory"
          value={query}
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            if (e.currentTarget.value === '' && listsAtOnce) void book.search('');
          }}
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
      {error !== undefined && <ErrorNote error={error} />}
      {isLoading && memories === undefined && <Skeleton lines={5} />}
      <p class="visually-hidden" role="status">
        {searched && memories && `${memories.length} found`}
      </p>
      {memories?.length === 0 && (
        <Empty
          title={searched ? `Nothing is remembered of “${searched}”` : 'Nothing is remembered yet'}
          text={searched ? undefined : 'Save a session, or add what agents shall know of this user.'}
        />
      )}
      <ul class="memories" aria-label={searched ? 'What was found, best first' : 'What is remembered'}>
        {memories?.map((memory) => (
          <MemoryItem
            key={memory.id}
            memory={memory}
            best={bestScore(memories)}
            onCorrect={(text) =>
              act('Corrected.', () => client.memory.update({ ...user, id: memory.id, change: corrected(memory, text) }))
            }
            onForget={() =>
              act(memory.evidence?.length ? 'Forgotten, with what it rested on.' : 'Forgotten.', () =>
                client.memory.forget({ ...user, id: memory.id }),
              )
            }
          />
        ))}
      </ul>
      <div class="button-row">
        {next !== undefined && (
          <button type="button" class="button" disabled={isLoading} onClick={() => void book.more()}>
            Show more
          </button>
        )}
        {sessionRef.value && events.value.length > 0 && (
          <button
            type="button"
            class="button"
            disabled={isLoading}
            onClick={() =>
              void act('This session is in memory now.', () => client.memory.saveSession(sessionRef.peek()!))
            }
          >
            Save this session
          </button>
        )}
        <button type="button" class="button button-bad" onClick={() => setAsks(true)}>
          Forget all…
        </button>
      </div>
      <ConfirmDialog
        open={asks}
        title={`Forget all of ${user.userId}?`}
        text={`Everything that ${user.appName} remembers of ${user.userId}, from every session, is gone for good. The sessions themselves stay.`}
        action="Forget all"
        onConfirm={() => void act('Everything is forgotten.', () => client.memory.forgetAll(user))}
        onClose={() => setAsks(false)}
      />
    </section>
  );
}

const corrected = ({ content }: MemoryEntry, text: string): Pick<MemoryEntry, 'content'> => ({
  content: { ...content, parts: [{ text }] },
});
