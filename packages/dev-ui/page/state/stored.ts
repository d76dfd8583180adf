const PREFIX = 'thole:';

/** `browser` survives closing the tab, `tab` does not. */
export type StoredIn = 'browser' | 'tab';

/** Returns what is stored under a name; undefined if there is nothing, or if the browser stores nothing. */
export function readStored(name: string, where: StoredIn = 'browser'): string | undefined {
  try {
    return storageOf(where).getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text under a name; undefined removes it. Does nothing if the browser stores nothing. */
export function writeStored(name: string, text: string | undefined, where: StoredIn = 'browser'): void {
  try {
    if (text === undefined) storageOf(where).removeItem(PREFIX + name);
    else storageOf(where).setItem(PREFIX + name, text);
  } catch {
    // Full, or turned off.
  }
}

const storageOf = (where: StoredIn): Storage => (where === 'tab' ? sessionStorage : localStorage);
