import { MenuButton, MenuItem, MenuProvider } from '@ariakit/react';
import type { SessionSummary } from '@thole/core';
import { useRef, useState } from 'preact/hooks';
import { formatAge, formatMoment } from '../components/format.ts';
import { Icon } from '../components/icons.tsx';
import { OpenMenu } from '../components/OpenMenu.tsx';
import { appName, sessionId, userId } from '../state/location.ts';
import { requestCounts } from '../state/inbox.ts';
import { now } from '../state/now.ts';
import { formatRoute } from '../state/route.ts';
import { runs } from '../state/run.ts';
import { sessions } from '../state/sessions.ts';
import { sessionsOpen } from '../state/screen.ts';
import { sessionKey } from '../state/session-key.ts';
import { displayNameOf } from '../state/title-of.ts';
import { inspectorTab } from '../state/location.ts';
import { deleteSession } from './delete-session.ts';
import { exportSession } from './export-session.ts';
import { RenameField } from './RenameField.tsx';

/** One session of the list: a link and its actions. */
export function SessionRow({ session, excerpt }: { session: SessionSummary; excerpt?: string | undefined }) {
  const [isRenaming, setIsRenaming] = useState(false);
  const item = useRef<HTMLDivElement>(null);
  const name = displayNameOf(session) ?? session.id;
  const isOpen = sessionId.value === session.id;
  const ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
  function endRename(hadFocus: boolean): void {
    setIsRenaming(false);
    if (hadFocus) requestAnimationFrame(() => item.current?.querySelector<HTMLElement>('.session-more')?.focus());
  }
  function remove(): void {
    const near = buttonNear(item.current);
    deleteSession(ref, name);
    requestAnimationFrame(() => near && focusWhenLost(near));
  }
  if (isRenaming) return <RenameField session={session} close={endRename} />;
  return (
    <div ref={item} class="session-row" aria-current={isOpen ? 'true' : undefined}>
      <a
        href={formatRoute({ app: appName.value, user: userId.value, session: session.id, tab: inspectorTab.value })}
        aria-current={isOpen ? 'page' : undefined}
        title={`${name}\n${formatMoment(session.lastUpdateTime)}`}
        onClick={() => (sessionsOpen.value = false)}
      >
        <span class="session-name" dir="auto">
          {name}
        </span>
        {session.forkedFrom && (
          <small class="muted" dir="auto">
            Copy of {nameOf(session.forkedFrom.sessionId)}
          </small>
        )}
        {excerpt && (
          <small class="muted" dir="auto">
            {excerpt}
          </small>
        )}
      </a>
      <SessionSign session={session} />
      <MenuProvider>
        <MenuButton class="icon-button session-more" aria-label={`More about ${name}`}>
          <Icon name="more" />
        </MenuButton>
        <OpenMenu class="menu" gutter={4} portal unmountOnHide aria-label={name}>
          <MenuItem class="menu-item" onClick={() => setIsRenaming(true)}>
            <Icon name="edit" /> Rename
          </MenuItem>
          <MenuItem class="menu-item" onClick={() => void exportSession(ref, name)}>
            <Icon name="download" /> Export as a file
          </MenuItem>
          <MenuItem class="menu-item menu-bad" onClick={remove}>
            <Icon name="trash" /> Delete
          </MenuItem>
        </OpenMenu>
      </MenuProvider>
    </div>
  );
}

/** A run, the number of open requests, or the age of a session. These change more often than the rest of the row. */
function SessionSign({ session }: { session: SessionSummary }) {
  const { appName, userId, id: sessionId, lastUpdateTime } = session;
  const isBusy = runs.value.get(sessionKey({ appName, userId, sessionId }))?.state.kind === 'running';
  const requests = requestCounts.value.get(sessionId) ?? 0;
  if (isBusy) return <span class="run-dot" role="img" aria-label="running" />;
  if (requests === 0) return <span class="num session-age">{formatAge(lastUpdateTime, now.value)}</span>;
  return (
    <span class="chip session-waits" title="Open requests">
      {requests === 1 ? '1 request' : `${requests} requests`}
    </span>
  );
}

/** Returns the menu button of the next or previous session, so that keyboard users stay at this place. */
function buttonNear(row: HTMLElement | null): HTMLElement | undefined {
  const buttons = [...(row?.closest('ul')?.querySelectorAll<HTMLElement>('.session-more') ?? [])];
  const at = buttons.findIndex((button) => row!.contains(button));
  return buttons[at + 1] ?? buttons[at - 1];
}

/** Returns the name of a session, or its id if it has no name or is not listed. */
function nameOf(id: string): string {
  const session = sessions.value?.find((each) => each.id === id);
  return (session && displayNameOf(session)) ?? id;
}

/**
 * Focuses a button when the element with the focus is removed, within 30 frames: the closing menu has the focus until then. Does
 * nothing if an opened message box gets the focus.
 */
function focusWhenLost(button: HTMLElement, frames = 30): void {
  if (document.activeElement === document.body) button.focus();
  else if (frames > 0) requestAnimationFrame(() => focusWhenLost(button, frames - 1));
}
