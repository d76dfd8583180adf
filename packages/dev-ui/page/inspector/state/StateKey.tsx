import type { Json, StateDelta } from '@thole/core';
import { useRef, useState } from 'preact/hooks';
import { formatMoment } from '../../components/format.ts';
import { IconButton } from '../../components/IconButton.tsx';
import { selectEvent } from '../../state/location.ts';
import { openKey } from '../../state/session.ts';
import { toast } from '../../state/toast.ts';
import { focusNear } from '../focus-near.ts';
import { draftKeyOf, dropDraft, formDrafts, writeDraft } from '../form-drafts.ts';
import { JsonTree } from '../JsonTree.tsx';
import type { StateRow } from './state-groups.ts';
import type { StateChange } from './state-history.ts';
import { ValueEditor } from './ValueEditor.tsx';

interface Props {
  row: StateRow;
  changes: readonly StateChange[];
  /** True if the selected event changed the key. */
  isChanged: boolean;
  /** Undefined if the key cannot be changed. */
  write: ((delta: StateDelta) => Promise<boolean>) | undefined;
}

/** One key: its value, which can be edited in place, and its changes. */
export function StateKey({ row, changes, isChanged, write }: Props) {
  const draftKey = draftKeyOf(openKey.value, 'edit', row.key);
  const draft = formDrafts.value.get(draftKey);
  const [isEditNew, setIsEditNew] = useState(false);
  const [showsHistory, setShowsHistory] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const item = useRef<HTMLLIElement>(null);
  const isNested = typeof row.value === 'object' && row.value !== null && Object.keys(row.value).length > 0;

  function edit(): void {
    setIsEditNew(true);
    writeDraft(draftKey, { text: JSON.stringify(row.value, undefined, 2) });
  }

  function close(): void {
    dropDraft(draftKey);
    requestAnimationFrame(() =>
      (button.current ?? item.current?.querySelector<HTMLElement>('[aria-label^="Edit "]'))?.focus(),
    );
  }

  async function remove(): Promise<void> {
    const focus = focusNear(item.current);
    if (!write || !(await write({ [row.key]: null }))) return;
    focus();
    toast(`Deleted ${row.key}.`, { undo: () => void write({ [row.key]: row.value }) });
  }

  return (
    <li ref={item} class="state-key" data-changed={isChanged || undefined}>
      <div class="state-line">
        <span class="state-name mono">
          {row.name}
          {isChanged && <span class="chip">changed by the selected event</span>}
        </span>
        <span class="state-actions">
          {changes.length > 0 && (
            <IconButton
              icon="clock"
              label={`History of ${row.name}`}
              aria-expanded={showsHistory}
              onClick={() => setShowsHistory(!showsHistory)}
            />
          )}
          {write && isNested && !draft && (
            <IconButton icon="edit" label={`Edit ${row.name}, now ${shorten(row.value)}`} onClick={edit} />
          )}
          {write && <IconButton icon="trash" label={`Delete ${row.name}`} onClick={() => void remove()} />}
        </span>
      </div>
      {draft && write ? (
        <ValueEditor
          label={`Value of ${row.name}, as JSON`}
          text={draft.text}
          onText={(text) => writeDraft(draftKey, { text })}
          isFocused={isEditNew}
          onSave={async (value) => {
            if (await write({ [row.key]: value })) close();
          }}
          onCancel={close}
        />
      ) : isNested ? (
        <JsonTree value={row.value} label={`Value of ${row.name}`} open={2} />
      ) : write ? (
        <button
          ref={button}
          type="button"
          class="state-value mono"
          aria-label={`Edit ${row.name}, now ${shorten(row.value)}`}
          onClick={edit}
        >
          {shorten(row.value, 600)}
        </button>
      ) : (
        <p class="state-value mono">{shorten(row.value, 600)}</p>
      )}
      {showsHistory && <History name={row.name} changes={changes} />}
    </li>
  );
}

/** Maximum number of changes shown for a key. */
const MAX_CHANGES = 50;

function History({ name, changes }: { name: string; changes: readonly StateChange[] }) {
  return (
    <ol class="state-history" aria-label={`History of ${name}, newest first`}>
      {changes
        .slice(-MAX_CHANGES)
        .toReversed()
        .map(({ eventId, author, timestamp, value }) => (
          <li key={eventId}>
            <button type="button" class="link" onClick={() => selectEvent(eventId)} title={formatMoment(timestamp)}>
              {author}, {formatMoment(timestamp)}
            </button>
            <span class="mono">{value === null ? 'deleted' : shorten(value, 200)}</span>
          </li>
        ))}
      {changes.length > MAX_CHANGES && <li class="muted">and {changes.length - MAX_CHANGES} earlier changes</li>}
    </ol>
  );
}

function shorten(value: Json, maxLength = 60): string {
  const text = JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
