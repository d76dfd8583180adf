import { useId, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { EvidenceList } from './EvidenceList.tsx';
import { HistoryList } from './HistoryList.tsx';
import type { KnownLine } from './known-lines.ts';
import type { MemoryActions } from './memory-actions.ts';
import { Relevance } from './Relevance.tsx';
import { Signals } from './Signals.tsx';

interface Detail {
  name: string;
  view: () => JSX.Element;
}

interface Props {
  line: KnownLine;
  /** The best score of the same result list. */
  best: number;
  actions: MemoryActions;
  /** Always visible content. */
  children: ComponentChildren;
}

/** A memory on one line, with collapsed details: its evidence, earlier versions, and the signals of its score. */
export function MemoryDetails({ line: { entry, earlierVersions }, best, actions, children }: Props) {
  const [openIndex, setOpenIndex] = useState<number | undefined>(undefined);
  const id = useId();
  const { evidence = [], explanation } = entry;
  const details: (Detail | false | undefined)[] = [
    evidence.length > 0 && {
      name: `Evidence (${evidence.length})`,
      view: () => <EvidenceList ids={evidence} actions={actions} />,
    },
    earlierVersions.length > 0 && {
      name: `History (${earlierVersions.length})`,
      view: () => <HistoryList versions={earlierVersions} actions={actions} />,
    },
    explanation && { name: 'Why this was found', view: () => <Signals explanation={explanation} /> },
  ];
  const shown = openIndex === undefined ? undefined : details[openIndex];
  return (
    <>
      <div class="muted memory-meta">
        {children}
        {details.map(
          (detail, i) =>
            detail && (
              <button
                key={i}
                type="button"
                class="link"
                aria-expanded={openIndex === i}
                aria-controls={openIndex === i ? id : undefined}
                onClick={() => setOpenIndex(openIndex === i ? undefined : i)}
              >
                {detail.name}
              </button>
            ),
        )}
        <Relevance relevance={entry.relevance} score={entry.score} best={best} />
      </div>
      {shown && <div id={id}>{shown.view()}</div>}
    </>
  );
}
