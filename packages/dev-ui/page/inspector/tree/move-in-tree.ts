/** The members of a line that keyboard navigation needs. */
export interface TreeRow {
  depth: number;
  isOpen?: boolean | undefined;
}

/** The effect of a key in a tree: focus a line, open or close the current one, or nothing. */
export type TreeMove = { focus: number } | { open: boolean } | undefined;

/** Returns the effect of a key, following the ARIA practices for trees. `at` is the focused line. */
export function moveInTree(rows: readonly TreeRow[], at: number, key: string): TreeMove {
  const row = rows[at];
  if (!row) return undefined;
  const to = (index: number): TreeMove =>
    index >= 0 && index < rows.length && index !== at ? { focus: index } : undefined;
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (row.isOpen === false) return { open: true };
      return row.isOpen && rows[at + 1] && rows[at + 1]!.depth > row.depth ? { focus: at + 1 } : undefined;
    case 'ArrowLeft':
      if (row.isOpen) return { open: false };
      return to(rows.findLastIndex(({ depth }, i) => i < at && depth < row.depth));
    default:
      return undefined;
  }
}
