import type { TargetedMouseEvent } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { formatMoment, formatTime } from '../components/format.ts';
import { IconButton } from '../components/IconButton.tsx';
import { inspect } from '../state/open-inspector.ts';
import { isNarrow } from '../state/screen.ts';
import { BlockView } from './BlockView.tsx';
import { EditMessage } from './EditMessage.tsx';
import type { Entry } from './entries.ts';
import { editKey, messageEdits, writeEdit } from './message-edits.ts';
import { isMessage, MessageActions } from './MessageActions.tsx';
import { rowError } from './row-actions.ts';
import { TurnLine } from './TurnLine.tsx';

/** One row: author, time and content. A click selects its event; on narrow screens it also opens the inspector. */
export function EntryRow({ entry, isSelected }: { entry: Entry; isSelected?: boolean | undefined }) {
  const { event, head, blocks, status, turn } = entry;
  const edited = messageEdits.value.get(editKey(event.id));
  const isEdited = edited !== undefined && status === undefined;
  const [isEditNew, setIsEditNew] = useState(false);
  const isUser = event.author === 'user';
  const text = textOfEntry(entry);
  const isNote = blocks.every((block) => block.kind === 'note');
  const isWriting = status === 'writing';
  const hasActions = status === undefined && !isEdited && !isNote;
  const select = (click: TargetedMouseEvent<HTMLElement>): void => {
    // Ignores clicks on links, buttons and fields, and clicks that end a text selection.
    if ((click.target as Element).closest('a, button, summary, form, input, textarea, label, pre, [role="tree"]'))
      return;
    if (getSelection()?.type === 'Range') return;
    // On a narrow screen the inspector is hidden, so that a selection must open it.
    if (isNarrow.value) inspect(event.id, isUser ? 'event' : 'request');
    else inspect(event.id);
  };
  const edit = (): void => {
    setIsEditNew(true);
    writeEdit(editKey(event.id), text);
  };
  return (
    <article
      class="entry"
      data-entry={event.id}
      data-from={isUser ? 'user' : 'agent'}
      data-head={head && !isNote ? '' : undefined}
      data-noted={isNote ? '' : undefined}
      data-said={text === '' ? undefined : ''}
      data-status={status}
      aria-label={`${isUser ? 'You' : event.author}, ${status === 'sending' ? 'sending' : formatTime(event.timestamp)}`}
      aria-current={isSelected ? 'true' : undefined}
      onClick={status === undefined ? select : undefined}
    >
      {head && !isNote && (
        <header class="entry-head">
          <span class="entry-author">{isUser ? 'You' : event.author}</span>
          <time class="num" title={formatMoment(event.timestamp)}>
            {formatTime(event.timestamp)}
          </time>
        </header>
      )}
      {isEdited ? (
        <EditMessage event={event} text={edited} isFocused={isEditNew} />
      ) : (
        <div class="entry-blocks">
          {blocks.map((block, i) => (
            <ErrorBoundary key={i}>
              <BlockView block={block} event={event} place={i} writing={isWriting && i === blocks.length - 1} />
            </ErrorBoundary>
          ))}
        </div>
      )}
      {hasActions && <Actions entry={entry} edit={edit} />}
      {rowError.value?.eventId === event.id && <ErrorNote error={rowError.value.error} />}
      {turn && <TurnLine turn={turn} />}
    </article>
  );
}

/** The actions of a row. They have a separate place, so that they do not cover text. */
function Actions({ entry, edit }: { entry: Entry; edit: () => void }) {
  const { event } = entry;
  const isUser = event.author === 'user';
  const text = textOfEntry(entry);
  const isEditable = isUser && event.content?.parts?.some((part) => part.functionResponse === undefined);
  return (
    <div class="entry-actions" role="group" aria-label="Actions">
      {!isUser && (
        <IconButton plain label="Request to the model" icon="request" onClick={() => inspect(event.id, 'request')} />
      )}
      <IconButton plain label="Event as JSON" icon="dots" onClick={() => inspect(event.id, 'event')} />
      {text !== '' && <CopyButton text={text} label="Copy text" />}
      {isEditable && <IconButton plain label="Edit and run again" icon="edit" onClick={edit} />}
      {isMessage(entry) && <MessageActions entry={entry} />}
    </div>
  );
}

const textOfEntry = ({ blocks }: Entry): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
