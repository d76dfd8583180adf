import { useRef, useState } from 'preact/hooks';
import { moveInTree } from './move-in-tree.ts';
import type { TreeRow } from './move-in-tree.ts';

/** Handles the keys of a tree. Only one line of the tree is in the tab order. */
export function useTree(p: {
  rows: readonly (TreeRow & { position: number; siblings: number })[];
  toggle: (index: number, isOpen: boolean) => void;
  choose?: ((index: number) => void) | undefined;
  /** Scrolls to a line that a long list has not drawn. */
  reveal?: ((index: number) => void) | undefined;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const active = Math.min(at, Math.max(p.rows.length - 1, 0));

  function focus(index: number): void {
    setAt(index);
    p.reveal?.(index);
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus());
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.key === 'Enter' || event.key === ' ') && p.choose) {
      event.preventDefault();
      return p.choose(active);
    }
    const move = moveInTree(p.rows, active, event.key);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if ('focus' in move) focus(move.focus);
    else p.toggle(active, move.open);
  }

  const itemProps = (index: number) => {
    const { depth, isOpen, position, siblings } = p.rows[index]!;
    return {
      role: 'treeitem' as const,
      'aria-level': depth + 1,
      'aria-posinset': position,
      'aria-setsize': siblings,
      ...(isOpen !== undefined && { 'aria-expanded': isOpen }),
      tabIndex: index === active ? 0 : -1,
      'data-index': index,
      onFocus: () => setAt(index),
    };
  };
  return { treeProps: { role: 'tree' as const, ref: element, onKeyDown }, itemProps };
}
