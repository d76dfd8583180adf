import type { TargetedMouseEvent } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from '../parts/CopyButton.tsx';
import { formatDuration, formatMoment, formatTime } from '../parts/format.ts';
import { IconButton } from '../parts/IconButton.tsx';
import { inspect } from '../state/open-inspector.ts';
import { BlockView } from './BlockView.tsx';
import { EditMessage } from './EditMessage.tsx';
import type { Entry } from './entries.ts';

interface Props {
  entry: Entry;
  selected?: boolean | undefined;
  writing?: boolean | undefined;
}

/** One row: who, when, and what. A click selects its event. */
export function EntryRow({ entry, selected, writing }: Props) {
  const { event, head, blocks, tookMs } = entry;
  const [editing, setEditing] = useState(false);
  const mine = event.author === 'user';
  const said = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
  const asked = mine && event.content?.parts?.some((part) => part.functionResponse === undefined);
  const noted = blocks.every((block) => block.kind === 'note');
  const select = (click: TargetedMouseEvent<HTMLElement>): void => {
    // Not for a click that does something else, nor for the end of a selection of text.
    if ((click.target as Element).closest('a, button, summary, input, textarea, label, pre, [role="tree"]')) return;
    if (getSelection()?.type === 'Range') return;
    inspect(event.id);
  };
  return (
    <article
      class="entry"
      data-entry={event.id}
      data-from={mine ? 'user' : 'agent'}
      data-head={head && !noted ? '' : undefined}
      data-noted={noted ? '' : undefined}
      data-said={said === '' ? undefined : ''}
      aria-label={`${mine ? 'You' : event.author}, ${formatTime(event.timestamp)}`}
      aria-current={selected ? 'true' : undefined}
      onClick={writing ? undefined : select}
    >
      {head && !noted && (
        <header class="entry-head">
          <span class="entry-author">{mine ? 'You' : event.author}</span>
          <time class="num" title={formatMoment(event.timestamp)}>
            {mine || tookMs === undefined || tookMs < 1 ? formatTime(event.timestamp) : formatDuration(tookMs)}
          </time>
        </header>
      )}
      {editing ? (
        <EditMessage event={event} text={said} close={() => setEditing(false)} />
      ) : (
        <div class="entry-blocks">
          {blocks.map((block, i) => (
            <BlockView key={i} block={block} event={event} writing={writing && i === blocks.length - 1} />
          ))}
        </div>
      )}
      {!writing && !editing && !noted && (
        <div class="entry-actions" role="group" aria-label="Actions">
          {!mine && (
            <IconButton
              plain
              label="Request: what the model saw"
              icon="request"
              onClick={() => inspect(event.id, 'request')}
            />
          )}
          <IconButton plain label="Event as JSON" icon="dots" onClick={() => inspect(event.id, 'event')} />
          {said !== '' && <CopyButton text={said} label="Copy text" />}
          {asked && <IconButton plain label="Edit and run again" icon="edit" onClick={() => setEditing(true)} />}
        </div>
      )}
    </article>
  );
}
