import { useState } from 'preact/hooks';
import { VList } from 'virtua';
import type { PartChange } from './diff-requests.ts';
import { PartView } from './PartView.tsx';
import { ToolGroup } from './ToolGroup.tsx';

/** More tools than this are collapsed into one line, so that the messages are near the top. */
const MANY_TOOLS = 3;
/** Above this number of parts, only visible parts are drawn. */
const MAX_DRAWN_PARTS = 120;

/** The parts of a request in the order in which the model reads them. When compared, equal parts are collapsed. */
export function PartList({ changes, compares }: { changes: readonly PartChange[]; compares: boolean }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set());
  const [showsSame, setShowsSame] = useState(false);
  const same = compares ? changes.filter(({ kind }) => kind === 'same').length : 0;
  const shown = compares && !showsSame ? changes.filter(({ kind }) => kind !== 'same') : changes;
  const keyOf = ({ kind, part }: PartChange): string => `${kind === 'removed' ? 'removed ' : ''}${part.id}`;
  const toggle = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  const viewOf = (change: PartChange) => {
    const key = keyOf(change);
    return (
      <PartView key={key} change={change} compares={compares} isOpen={open.has(key)} onToggle={() => toggle(key)} />
    );
  };
  const tools = compares ? [] : shown.filter(({ part }) => part.id.startsWith('tool:'));
  const grouped = tools.length > MANY_TOOLS ? tools : [];
  const views = shown.flatMap((change) => {
    if (!grouped.includes(change)) return [viewOf(change)];
    if (change !== grouped[0]) return [];
    return [
      <ToolGroup
        key="tools"
        tools={grouped.map(({ part }) => part)}
        isOpen={open.has('tools')}
        onToggle={() => toggle('tools')}
      >
        {open.has('tools') && grouped.map(viewOf)}
      </ToolGroup>,
    ];
  });
  return (
    <>
      <div class="parts" role="list" aria-label={compares ? 'Changes in the request' : 'Parts of the request'}>
        {views.length > MAX_DRAWN_PARTS ? <VList style={{ height: '65vh' }}>{views}</VList> : views}
      </div>
      {compares && shown.length === 0 && <p class="muted panel-note">No differences.</p>}
      {same > 0 && (
        <button type="button" class="button button-quiet" onClick={() => setShowsSame(!showsSame)}>
          {showsSame ? 'Hide unchanged parts' : `Show ${same} unchanged parts`}
        </button>
      )}
    </>
  );
}
