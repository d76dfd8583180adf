const PREFIX = 'thole:';

/** `browser`: stored until the user deletes it. `tab`: stored until the tab is closed. */
export type StoredIn = 'browser' | 'tab';

/** Returns the text that is stored under a name. Undefined without one, or if the browser does not allow storage. */
export function readStored(name: string, where: StoredIn = 'browser'): string | undefined {
  try {
    return storageOf(where).getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text under a name; undefined removes it. Does nothing if the browser does not allow storage. */
export function writeStored(name: string, text: string | undefined, where: StoredIn = 'browser'): void {
  try {
    if (text === undefined) storageOf(where).removeItem(PREFIX + name);
    else storageOf(where).setItem(PREFIX + name, text);
  } catch {
    // The storage is full or not allowed.
  }
}

const storageOf = (where: StoredIn): Storage => (where === 'tab' ? sessionStorage : localStorage);
