import { computed, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { formatRoute, parseRoute } from './route.ts';
import type { Route, Tab } from './route.ts';

const current = signal<Route>(parseRoute(location.hash));

/** The current route. It follows the address, also with the buttons back and forward. */
export const route: ReadonlySignal<Route> = current;
export const appName: ReadonlySignal<string | undefined> = computed(() => current.value.app);
export const userId: ReadonlySignal<string> = computed(() => current.value.user);
export const sessionId: ReadonlySignal<string | undefined> = computed(() => current.value.session);
export const selectedEventId: ReadonlySignal<string | undefined> = computed(() => current.value.event);
export const inspectorTab: ReadonlySignal<Tab> = computed(() => current.value.tab);

/** Changes the address. Adds a step to the history unless `replace` is true. */
export function go(change: Partial<Route>, options: { replace?: boolean | undefined } = {}): void {
  const next = formatRoute({ ...current.value, ...change });
  if (next === location.hash) return;
  if (options.replace) history.replaceState(null, '', next);
  else history.pushState(null, '', next);
  follow();
}

/** Selects an event, or removes the selection without an id. Also opens `tab` if it is set. */
export function selectEvent(id: string | undefined, tab?: Tab): void {
  // Moving from event to event adds no steps to the history.
  const replace = selectedEventId.value !== undefined && tab === undefined;
  go({ event: id, ...(tab && { tab }) }, { replace });
}

export function openTab(tab: Tab): void {
  go({ tab }, { replace: true });
}

function follow(): void {
  current.value = parseRoute(location.hash);
}

addEventListener('hashchange', follow);
addEventListener('popstate', follow);
