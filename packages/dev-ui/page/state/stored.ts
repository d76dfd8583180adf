const PREFIX = 'thole:';

/** What this browser keeps under a name; undefined without, or where it keeps nothing. */
export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text in this browser; undefined removes it. Where the browser keeps nothing, nothing happens. */
export function writeStored(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
  } catch {
    // Full or switched off.
  }
}
