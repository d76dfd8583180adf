import type { TargetedMouseEvent } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { formatMoment, formatTime } from '../components/format.ts';
import { IconButton } from '../components/IconButton.tsx';
import { run } from '../state/run.ts';
import { inspect } from '../state/open-inspector.ts';
import { isNarrow } from '../state/screen.ts';
import { BlockView } from './BlockView.tsx';
import { EditMessage } from './EditMessage.tsx';
import type { Entry } from './entries.ts';
import { isMessage, MessageActions } from './MessageActions.tsx';
import { rowError } from './row-actions.ts';
import { TurnLine } from './TurnLine.tsx';

/** One row: author, time and content. A click selects its event; on narrow screens it also opens the inspector. */
export function EntryRow({ entry, isSelected }: { entry: Entry; isSelected?: boolean | undefined }) {
  const { event, head, blocks, status, turn } = entry;
  const [isEdited, setIsEdited] = useState(false);
  const mine = event.author === 'user';
  const said = saidIn(entry);
  const noted = blocks.every((block) => block.kind === 'note');
  const isWriting = status === 'writing';
  const hasActions = status === undefined && !isEdited && !noted;
  const select = (click: TargetedMouseEvent<HTMLElement>): void => {
    // Not for clicks on links, buttons and fields, nor for the end of a text selection.
    if ((click.target as Element).closest('a, button, summary, form, input, textarea, label, pre, [role="tree"]'))
      return;
    if (getSelection()?.type === 'Range') return;
    // On a narrow screen a selection alone shows nothing.
    if (isNarrow.value) inspect(event.id, mine ? 'event' : 'request');
    else inspect(event.id);
  };
  return (
    <article
      class="entry"
      data-entry={event.id}
      data-from={mine ? 'user' : 'agent'}
      data-head={head && !noted ? '' : undefined}
      data-noted={noted ? '' : undefined}
      data-said={said === '' ? undefined : ''}
      data-status={status}
      aria-label={`${mine ? 'You' : event.author}, ${status === 'sending' ? 'sending' : formatTime(event.timestamp)}`}
      aria-current={isSelected ? 'true' : undefined}
      onClick={status === undefined ? select : undefined}
    >
      {head && !noted && (
        <header class="entry-head">
          <span class="entry-author">{mine ? 'You' : event.author}</span>
          <time class="num" title={formatMoment(event.timestamp)}>
            {formatTime(event.timestamp)}
          </time>
        </header>
      )}
      {isEdited ? (
        <EditMessage event={event} text={said} close={() => setIsEdited(false)} />
      ) : (
        <div class="entry-blocks">
          {blocks.map((block, i) => (
            <BlockView key={i} block={block} event={event} writing={isWriting && i === blocks.length - 1} />
          ))}
        </div>
      )}
      {hasActions && <Actions entry={entry} edit={() => setIsEdited(true)} />}
      {rowError.value?.eventId === event.id && <ErrorNote error={rowError.value.error} />}
      {turn && !isRunningNow(turn.invocationId) && <TurnLine turn={turn} />}
    </article>
  );
}

/** The actions of a row. They have their own space, so that they cover no text. */
function Actions({ entry, edit }: { entry: Entry; edit: () => void }) {
  const { event } = entry;
  const mine = event.author === 'user';
  const said = saidIn(entry);
  const isQuestion = mine && event.content?.parts?.some((part) => part.functionResponse === undefined);
  return (
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
      {isQuestion && <IconButton plain label="Edit and run again" icon="edit" onClick={edit} />}
      {isMessage(entry) && <MessageActions entry={entry} />}
    </div>
  );
}

const saidIn = ({ blocks }: Entry): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');

function isRunningNow(invocationId: string): boolean {
  const state = run.value;
  return state.kind === 'running' && (state.invocationId ?? invocationId) === invocationId;
}
