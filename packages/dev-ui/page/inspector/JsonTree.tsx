import type { Json } from '@thole/core';
import { useMemo, useRef, useState } from 'preact/hooks';
import { VList } from 'virtua';
import type { VListHandle } from 'virtua';
import { Icon } from '../components/icons.tsx';
import { jsonRows } from './event/json-rows.ts';
import type { Folds, JsonRow } from './event/json-rows.ts';
import { Marked } from './tree/Marked.tsx';
import { useTree } from './tree/use-tree.ts';

interface Props {
  value: Json;
  label: string;
  query?: string | undefined;
  /** Number of levels that are open at first. */
  open?: number | undefined;
  /** True to show a line for the whole value, named by the label. Default: true if `open` is set. */
  showsWhole?: boolean | undefined;
  /** Open and closed nodes, if the caller controls them. */
  folds?: Folds | undefined;
  setFolds?: ((folds: Folds) => void) | undefined;
  isMarked?: ((path: string) => boolean) | undefined;
}

/** Above this number of lines, only visible lines are drawn. */
const MAX_DRAWN_LINES = 400;

/** A JSON value as a tree whose nodes open and close by mouse and keyboard. */
export function JsonTree({ value, label, query, open, folds, setFolds, isMarked, ...p }: Props) {
  const showsWhole = p.showsWhole ?? open !== undefined;
  const [ownFolds, setOwnFolds] = useState<Folds>(() => new Map());
  const list = useRef<VListHandle>(null);
  const shown = folds ?? ownFolds;
  const rows = useMemo(() => {
    const all = jsonRows(value, { folds: shown, query, open });
    return showsWhole ? all : withoutWhole(all);
  }, [value, shown, query, open, showsWhole]);
  const toggle = (index: number, isOpen: boolean): void => {
    const row = rows[index];
    if (row && row.isOpen !== undefined) (setFolds ?? setOwnFolds)(new Map(shown).set(row.path, isOpen));
  };
  const { treeProps, itemProps } = useTree({
    rows,
    toggle,
    choose: (index) => toggle(index, !rows[index]?.isOpen),
    reveal: (index) => list.current?.scrollToIndex(index, { align: 'nearest' }),
  });
  const toLine = (row: JsonRow, i: number) => (
    <div
      key={row.path}
      class="json-row"
      {...itemProps(i)}
      data-marked={isMarked?.(row.path) || undefined}
      style={{ paddingInlineStart: `${4 + row.depth * 14}px` }}
      onClick={() => toggle(i, !row.isOpen)}
    >
      <span class="tree-sign">
        {row.isOpen !== undefined && <Icon name={row.isOpen ? 'down' : 'right'} size={12} />}
      </span>
      {(row.name !== undefined || showsWhole) && (
        <span class="json-name">
          <Marked text={row.name ?? label} query={query} />:{' '}
        </span>
      )}
      {!row.isOpen && (
        <span class="json-value" data-kind={row.kind}>
          <Marked text={row.text} query={query} />
        </span>
      )}
    </div>
  );
  return (
    <div class="json-tree mono" {...treeProps} aria-label={label}>
      {rows.length > MAX_DRAWN_LINES ? (
        <VList
          ref={(handle: unknown) => void (list.current = handle as VListHandle | null)}
          style={{ height: '65vh' }}
          data={rows}
        >
          {toLine}
        </VList>
      ) : (
        rows.map(toLine)
      )}
    </div>
  );
}

// Removes the line of the whole value, unless it is the only line.
function withoutWhole(rows: JsonRow[]): JsonRow[] {
  return rows.length > 1 ? rows.slice(1).map((row) => ({ ...row, depth: row.depth - 1 })) : rows;
}
