import { useMemo } from 'preact/hooks';
import { Empty } from '../../components/Empty.tsx';
import { currentSeconds } from '../../state/now.ts';
import { bestScore } from './best-score.ts';
import { knownLines } from './known-lines.ts';
import type { MemoryActions } from './memory-actions.ts';
import { MemoryItem } from './MemoryItem.tsx';
import { MemorySection } from './MemorySection.tsx';
import type { Memories } from './use-memories.ts';

/** Search results, best first, or all memories: facts, notes and turns. */
export function MemoryList({ memories, actions }: { memories: Memories; actions: MemoryActions }) {
  const { known, found, turns, next, searched, isUnlisted, isCut } = memories;
  const seconds = currentSeconds();
  const lines = useMemo(() => knownLines(known ?? [], seconds), [known, Math.floor(seconds / 60)]);
  if (found) {
    const best = bestScore(found);
    const lineOf = new Map([...lines.facts, ...lines.notes, ...lines.ended].map((line) => [line.entry.id, line]));
    if (found.length === 0) return <Empty title={`There are no memories of “${searched}”`} />;
    return (
      <ul class="memories" aria-label="Search results, best first">
        {found.map((entry) => (
          <MemoryItem
            key={entry.id}
            line={{ entry, earlierVersions: lineOf.get(entry.id)?.earlierVersions ?? [] }}
            best={best}
            actions={actions}
          />
        ))}
      </ul>
    );
  }
  if (isUnlisted) return <Empty title="This memory can be searched but not listed" />;
  if (known === undefined) return null;
  if (known.length === 0 && turns.length === 0)
    return <Empty title="There are no memories yet" text="Save a session, or add a note about this user." />;
  return (
    <>
      <MemorySection title="Facts" lines={lines.facts} actions={actions} />
      <MemorySection title="Notes" lines={lines.notes} actions={actions} />
      <MemorySection title="No longer true" lines={lines.ended} actions={actions} isCollapsed />
      {isCut && <p class="muted panel-note">There are more facts. Use the search to find them.</p>}
      <MemorySection
        title="Turns"
        lines={turns.map((entry) => ({ entry, earlierVersions: [] }))}
        actions={actions}
        hasMore={next !== undefined}
      />
    </>
  );
}
