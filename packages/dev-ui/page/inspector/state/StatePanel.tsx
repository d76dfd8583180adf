import type { Json, StateDelta } from '@thole/core';
import type { StateScope } from '@thole/core/kit';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Empty } from '../../components/Empty.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { focusIfLost } from '../../components/focus-if-lost.ts';
import { formatCount } from '../../components/format.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { events, openKey, selectedEvent, sessionRef, sessionState, status } from '../../state/session.ts';
import { writeState } from '../../state/session-actions.ts';
import { draftKeyOf, dropDraft, formDrafts, writeDraft } from '../form-drafts.ts';
import { AddKey } from './AddKey.tsx';
import { StateKey } from './StateKey.tsx';
import { prefixOf, stateGroups } from './state-groups.ts';
import type { StateGroup } from './state-groups.ts';
import { stateHistory } from './state-history.ts';

const names = {
  session: ['Session', 'only this session'],
  user: ['User', 'this user, in all sessions of the app'],
  app: ['App', 'all users of the app'],
  temp: ['Temporary', 'only the newest run, not stored'],
} as const;

/** Number of keys of a scope that are shown at first and at each click: a browser needs seconds to draw thousands. */
const MORE_KEYS = 200;

/** The state by scope, with forms to edit it. */
export function StatePanel() {
  const [query, setQuery] = useState('');
  const [limit, setLimit] = useState(MORE_KEYS);
  const [failure, setFailure] = useState<{ key: string | undefined; scope: StateScope; error: unknown } | undefined>(
    undefined,
  );
  const read = useMemo(stateHistory, []);
  const history = read(events.value).result;
  const groups = useMemo(
    () => stateGroups(sessionState.value, history.temporary),
    [sessionState.value, history, events.value],
  );
  const ref = sessionRef.value;
  if (!ref) return <Empty title="No session is open" text="Open a session to see its state." />;
  if (status.value.kind === 'loading') return <Skeleton lines={6} />;

  const key = openKey.value;
  const writeTo =
    (scope: StateScope) =>
    async (delta: StateDelta): Promise<boolean> => {
      setFailure(undefined);
      try {
        // Also if another session is open by then: an undo must not write to that session.
        await writeState(ref, delta);
        return true;
      } catch (error) {
        setFailure({ key, scope, error });
        return false;
      }
    };

  const wanted = query.trim().toLowerCase();
  const changed = new Set(Object.keys(selectedEvent.value?.actions.stateDelta ?? {}));
  const isShown = (key: string, value: Json): boolean =>
    wanted === '' || key.toLowerCase().includes(wanted) || JSON.stringify(value).toLowerCase().includes(wanted);

  const found = groups.map((group) => ({ group, rows: group.rows.filter(({ key, value }) => isShown(key, value)) }));
  const count = found.reduce((sum, { rows }) => sum + rows.length, 0);
  const hasNoMatch = wanted !== '' && count === 0;

  return (
    <>
      <div class="panel-bar">
        <input
          class="field"
          type="search"
          placeholder="Search keys and values"
          aria-label="Search keys and values"
          value={query}
          onInput={(e) => setQuery(e.currentTarget.value)}
        />
      </div>
      <p class="visually-hidden" role="status">
        {wanted !== '' && `${count} found`}
      </p>
      {hasNoMatch && <p class="muted panel-note">The state does not contain “{query.trim()}”.</p>}
      {/* Hidden, not removed: a form may be open. */}
      <div key={key} hidden={hasNoMatch}>
        {found.map(({ group, rows }) => (
          <Scope
            key={group.scope}
            group={group}
            write={writeTo(group.scope)}
            error={failure?.key === key && failure?.scope === group.scope ? failure.error : undefined}
          >
            {rows.slice(0, limit).map((row) => (
              <StateKey
                key={row.key}
                row={row}
                changes={history.changes.get(row.key) ?? []}
                isChanged={changed.has(row.key)}
                write={group.scope === 'temp' ? undefined : writeTo(group.scope)}
              />
            ))}
            {rows.length > limit && (
              <li>
                <button type="button" class="button" onClick={() => setLimit(limit + MORE_KEYS)}>
                  Show more keys
                </button>
                <span class="muted">
                  {' '}
                  {formatCount(rows.length - limit)} of {formatCount(rows.length)} are not shown.
                </span>
              </li>
            )}
          </Scope>
        ))}
      </div>
    </>
  );
}

interface ScopeProps {
  group: StateGroup;
  write: (delta: StateDelta) => Promise<boolean>;
  /** The error of the last change. */
  error: unknown;
  children: ComponentChildren;
}

function Scope(p: ScopeProps) {
  const { scope, rows } = p.group;
  const draftKey = draftKeyOf(openKey.value, 'add', scope);
  const draft = formDrafts.value.get(draftKey);
  const [isAddNew, setIsAddNew] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    dropDraft(draftKey);
    focusIfLost(() => button.current);
  };
  const [name, meaning] = names[scope];
  if (scope === 'temp' && rows.length === 0) return null;
  return (
    <section class="scope" aria-label={`${name} state`}>
      <header class="scope-head">
        <h2>{name}</h2>
        <span class="muted">{meaning}</span>
        {scope !== 'temp' && (
          <button
            ref={button}
            type="button"
            class="button button-quiet"
            aria-expanded={draft !== undefined}
            onClick={() => {
              setIsAddNew(true);
              if (draft) dropDraft(draftKey);
              else writeDraft(draftKey, {});
            }}
          >
            Add key<span class="visually-hidden"> to {name.toLowerCase()} state</span>
          </button>
        )}
      </header>
      {p.error !== undefined && <ErrorNote error={p.error} />}
      {scope === 'app' && (draft ?? p.error) !== undefined && (
        <p class="muted panel-note">
          By default, a server refuses changes of app state. To allow them, add <code class="mono">'app'</code> to its
          option <code class="mono">clientMayWrite</code>.
        </p>
      )}
      {draft && (
        <AddKey
          draft={draft}
          onDraft={(change) => writeDraft(draftKey, change)}
          isFocused={isAddNew}
          scope={scope}
          taken={rows.map(({ name: each }) => each)}
          onAdd={async (key, value) => {
            if (await p.write({ [prefixOf(scope) + key]: value })) close();
          }}
          onCancel={close}
        />
      )}
      {rows.length === 0 && !draft && <p class="muted panel-note">No keys yet.</p>}
      <ul class="state-keys">{p.children}</ul>
    </section>
  );
}
