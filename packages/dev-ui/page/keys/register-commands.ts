import { accessToken, forgetAccessToken } from '../state/access-token.ts';
import { registerCommand } from '../state/commands.ts';
import { go, selectedEventId, selectEvent } from '../state/location.ts';
import { showTab } from '../state/open-inspector.ts';
import { tabs } from '../state/route.ts';
import type { Tab } from '../state/route.ts';
import { isRunning } from '../state/run.ts';
import { stop } from '../state/run-actions.ts';
import {
  inspectorOpen,
  inspectorShown,
  isNarrow,
  isPhone,
  isTouch,
  sessionsOpen,
  timelineShown,
} from '../state/screen.ts';
import { theme, toggleTheme } from '../state/theme.ts';
import { entries } from '../conversation/projection.ts';
import { importSession } from '../sessions/import-session.ts';
import { keysOpen } from './keys-open.ts';

const tabKeys: Partial<Record<Tab, string>> = {
  event: 'e',
  request: 'r',
  state: 's',
  memory: 'm',
  artifacts: 'a',
  trace: 't',
  graph: 'g',
};

/** Registers the commands of the page for the palette and the keyboard. */
export function registerCommands(): void {
  registerCommand({ id: 'new', label: 'New session', keys: 'n', run: newSession });
  registerCommand({
    id: 'stop',
    label: 'Stop the run',
    keys: '.',
    run: () => void stop(),
    when: () => isRunning.value,
  });
  registerCommand({ id: 'next', label: 'Next event', keys: 'j', run: () => selectNext(1) });
  registerCommand({ id: 'previous', label: 'Previous event', keys: 'k', run: () => selectNext(-1) });
  for (const tab of tabs) {
    registerCommand({ id: `tab:${tab}`, label: `Open ${tab}`, keys: tabKeys[tab], run: () => showTab(tab) });
  }
  registerCommand({ id: 'search', label: 'Search here', keys: '/', run: focusSearch });
  registerCommand({ id: 'write', label: 'Write a message', keys: 'c', run: focusMessage });
  registerCommand({
    id: 'timeline',
    label: 'Show or hide the timeline',
    keys: 'l',
    run: () => (timelineShown.value = !timelineShown.value),
  });
  registerCommand({ id: 'inspector', label: 'Show or hide the inspector', keys: 'i', run: toggleInspector });
  registerCommand({ id: 'theme', label: 'Light or dark theme', run: toggleTheme });
  registerCommand({ id: 'theme-system', label: 'Theme of the system', run: () => (theme.value = 'system') });
  registerCommand({ id: 'import', label: 'Import a session from a file', run: importSession });
  registerCommand({
    id: 'forget-token',
    label: 'Forget the access token',
    run: forgetAccessToken,
    when: () => accessToken.value !== undefined,
  });
  registerCommand({
    id: 'keys',
    label: 'Show keyboard shortcuts',
    keys: '?',
    run: () => (keysOpen.value = true),
    when: () => !isTouch.value,
  });
}

export function newSession(): void {
  sessionsOpen.value = false;
  go({ session: undefined, event: undefined });
  focusMessage();
}

/** Selects the event of the next or previous row. Without a selection, selects the newest event. */
function selectNext(by: 1 | -1): void {
  const rows = entries.value.filter(({ status }) => status === undefined);
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.event.id === selectedEventId.value);
  const next = at < 0 ? rows.length - 1 : Math.max(0, Math.min(rows.length - 1, at + by));
  selectEvent(rows[next]!.event.id);
}

/** Focuses the search field of the focused column, or the first visible search field. */
function focusSearch(): void {
  const column = document.activeElement?.closest('nav, aside, [role="dialog"]');
  const field = [column, document].flatMap((place) => [
    ...(place?.querySelectorAll<HTMLElement>('[data-search]') ?? []),
  ]);
  const visible = field.find((each) => each.offsetParent !== null);
  if (visible) visible.focus();
  else if (isPhone.value) sessionsOpen.value = true;
}

function focusMessage(): void {
  requestAnimationFrame(() => document.getElementById('message')?.focus());
}

function toggleInspector(): void {
  const shown = isNarrow.value ? inspectorOpen : inspectorShown;
  shown.value = !shown.value;
}
