import { useId, useState } from 'preact/hooks';
import { formatCount } from '../../components/format.ts';
import type { KnownLine } from './known-lines.ts';
import type { MemoryActions } from './memory-actions.ts';
import { MemoryItem } from './MemoryItem.tsx';

interface Props {
  title: string;
  lines: readonly KnownLine[];
  actions: MemoryActions;
  /** True to show only the title until the user opens the section. */
  isCollapsed?: boolean | undefined;
  /** True if there are more pages. Sections read by page show all entries. */
  hasMore?: boolean | undefined;
}

/** Number of entries that are drawn at first, and added by “Show more”. */
const PAGE_SIZE = 50;

/** Memories of one kind under a heading. Draws nothing without memories. */
export function MemorySection({ title, lines, actions, isCollapsed, hasMore }: Props) {
  const [count, setCount] = useState(hasMore === undefined ? PAGE_SIZE : Infinity);
  const [isOpen, setIsOpen] = useState(!isCollapsed);
  const id = useId();
  if (lines.length === 0) return null;
  const heading = (
    <>
      {title}{' '}
      <span class="muted num">
        {formatCount(lines.length)}
        {hasMore && '+'}
      </span>
    </>
  );
  return (
    <section aria-labelledby={id} class="memory-section">
      <h3 id={id}>
        {isCollapsed ? (
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {heading}
          </button>
        ) : (
          heading
        )}
      </h3>
      {isOpen && (
        <ul class="memories" aria-labelledby={id}>
          {lines.slice(0, count).map((line) => (
            <MemoryItem key={line.entry.id} line={line} best={0} actions={actions} />
          ))}
        </ul>
      )}
      {isOpen && count < lines.length && (
        <button type="button" class="link" onClick={() => setCount(count + PAGE_SIZE)}>
          Show {Math.min(PAGE_SIZE, lines.length - count)} more
        </button>
      )}
    </section>
  );
}
