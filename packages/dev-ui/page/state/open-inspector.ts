import { openTab, selectEvent } from './location.ts';
import type { Tab } from './route.ts';
import { inspectorOpen, inspectorShown, isNarrow } from './screen.ts';

/** Shows an event in the inspector and opens the inspector if it is hidden. */
export function inspect(eventId: string, tab?: Tab): void {
  selectEvent(eventId, tab);
  if (tab !== undefined) openInspector();
}

/** Opens a tab of the inspector and opens the inspector if it is hidden. */
export function showTab(tab: Tab): void {
  openTab(tab);
  openInspector();
}

function openInspector(): void {
  if (isNarrow.value) inspectorOpen.value = true;
  else inspectorShown.value = true;
}
