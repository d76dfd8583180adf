/** What a tree's keys have to know of a line. */
export interface TreeRow {
  depth: number;
  isOpen?: boolean | undefined;
}

/** What a key does in a tree: goes to a line, opens or closes the one it is on, or nothing. */
export type TreeMove = { focus: number } | { open: boolean } | undefined;

/** The keys of a tree, as the practices for accessible trees have them; `at` is the line that has the focus. */
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
