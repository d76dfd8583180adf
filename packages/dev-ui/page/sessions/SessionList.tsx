import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Virtualizer } from 'virtua';
import type { SessionSummary } from '@thole/core';
import { newSession } from '../keys/register-commands.ts';
import { Empty } from '../components/Empty.tsx';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { Icon } from '../components/icons.tsx';
import { IconButton } from '../components/IconButton.tsx';
import { Skeleton } from '../components/Skeleton.tsx';
import { access } from '../state/access-token.ts';
import { connection } from '../state/connection.ts';
import { requestCounts } from '../state/inbox.ts';
import { now } from '../state/now.ts';
import { MAX_SESSIONS, refreshSessions, sessions, sessionsError } from '../state/sessions.ts';
import { groupByDay } from './group-by-day.ts';
import { importSession } from './import-session.ts';
import { SessionRow } from './SessionRow.tsx';
import './sessions.css';
import { excerptOf, matches, isReadingTexts, readTexts } from './session-texts.ts';
import { after } from '../state/clock.ts';

/** The user's sessions by day, a search over names and messages, and a button for a new session. */
export function SessionList() {
  const [query, setQuery] = useState('');
  const words = query.trim();
  const all = sessions.value;
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (words === '' || !all) return undefined;
    const controller = new AbortController();
    isReadingTexts.value = true;
    const cancel = after(200, () => void readTexts(all, controller.signal));
    return () => {
      cancel();
      controller.abort();
    };
  }, [words, all]);

  const found = words === '' ? all : all?.filter((session) => matches(session, words));
  const open = requestCounts.value;
  const today = new Date(now.value);
  const rows = useMemo(() => toRows(found ?? [], open, today), [found, open, today.getDate()]);
  return (
    <div class="sessions">
      <div class="sessions-head">
        <div class="search-field">
          <Icon name="search" />
          <input
            type="search"
            class="field"
            data-search
            placeholder="Search sessions"
            aria-label="Search sessions"
            value={query}
            onInput={(input) => setQuery(input.currentTarget.value)}
          />
        </div>
      </div>
      <div class="sessions-list" ref={box}>
        {!all && <ListPlaceholder />}
        {all?.length === 0 && <Empty title="No sessions yet" text="Write a message to start one." />}
        {all && all.length > 0 && found?.length === 0 && (
          <p class="muted sessions-none" role="status">
            {isReadingTexts.value ? 'Searching …' : 'Nothing found.'}
          </p>
        )}
        <Virtualizer scrollRef={box} itemSize={36} as="ul" item="li">
          {rows.map((row) =>
            typeof row === 'string' ? (
              <h2 key={`day:${row}`} class="sessions-day">
                {row}
              </h2>
            ) : (
              <SessionRow key={row.id} session={row} excerpt={words === '' ? undefined : excerptOf(row, words)} />
            ),
          )}
        </Virtualizer>
        {words !== '' && all && all.length >= MAX_SESSIONS && (
          <p class="muted sessions-none">Only the newest {MAX_SESSIONS} sessions are listed and searched.</p>
        )}
      </div>
      <div class="sessions-foot">
        <button type="button" class="button new-session" onClick={newSession}>
          <Icon name="plus" /> New session
        </button>
        <IconButton label="Import a session from a file" icon="upload" onClick={importSession} />
      </div>
    </div>
  );
}

/** The placeholder for the list before it is read: loading, offline, or an error. */
function ListPlaceholder() {
  if (connection.value === 'offline')
    return <p class="muted sessions-none">The sessions appear when the server answers.</p>;
  if (access.value !== 'open') return <p class="muted sessions-none">Enter the token to see the sessions.</p>;
  if (sessionsError.value === undefined) return <Skeleton lines={6} />;
  return <ErrorNote error={sessionsError.value} retry={() => void refreshSessions()} />;
}

/** Returns sessions and headings: sessions with open requests first, then the others by day. */
function toRows(
  list: readonly SessionSummary[],
  open: ReadonlyMap<string, number>,
  today: Date,
): (string | SessionSummary)[] {
  const withRequests = list.filter(({ id }) => open.has(id));
  const others = list.filter(({ id }) => !open.has(id));
  const days = groupByDay(others, (session) => session.lastUpdateTime, today);
  return [
    ...(withRequests.length > 0 ? ['Open requests', ...withRequests] : []),
    ...days.flatMap(({ day, items }) => [day, ...items]),
  ];
}
