import type { AppInfo } from '@thole/client';

/** Returns the app's suggestions for a first message, if any. */
export function suggestionsFor(app: AppInfo | undefined): readonly string[] {
  return [...new Set((app?.suggestions ?? []).filter((text) => text.trim() !== ''))];
}
