import { useId, useState } from 'preact/hooks';
import { formatCount } from '../../parts/format.ts';
import type { KnownLine } from './known-lines.ts';
import type { MemoryActions } from './memory-actions.ts';
import { MemoryItem } from './MemoryItem.tsx';

interface Props {
  title: string;
  lines: readonly KnownLine[];
  actions: MemoryActions;
  /** Nothing but its title until it is opened. */
  isFolded?: boolean | undefined;
  /** These were read page by page, and are all drawn; whether there are more. */
  hasMore?: boolean | undefined;
}

/** As many as are drawn at once. */
const FEW = 50;

/** Memories of one kind under a heading; nothing at all where there are none. */
export function MemorySection({ title, lines, actions, isFolded, hasMore }: Props) {
  const [count, setCount] = useState(hasMore === undefined ? FEW : Infinity);
  const [isOpen, setIsOpen] = useState(!isFolded);
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
      <h4 id={id}>
        {isFolded ? (
          <button type="button" class="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {heading}
          </button>
        ) : (
          heading
        )}
      </h4>
      {isOpen && (
        <ul class="memories" aria-labelledby={id}>
          {lines.slice(0, count).map((line) => (
            <MemoryItem key={line.entry.id} line={line} best={0} actions={actions} />
          ))}
        </ul>
      )}
      {isOpen && count < lines.length && (
        <button type="button" class="link" onClick={() => setCount(count + FEW)}>
          Show {Math.min(FEW, lines.length - count)} more
        </button>
      )}
    </section>
  );
}
