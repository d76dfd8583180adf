import type { AppInfo } from '@thole/client';

/** Returns the first messages that the app suggests; none if it suggests none. */
export function suggestionsFor(app: AppInfo | undefined): readonly string[] {
  return [...new Set((app?.suggestions ?? []).filter((text) => text.trim() !== ''))];
}
