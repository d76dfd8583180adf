const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

/** Returns the name of a key on this platform: `⌘K`, or `Ctrl K` if there is no ⌘ key. */
export function keyName(keys: string, apple: boolean = isApple): string {
  return apple ? keys : keys.replace('⌘', 'Ctrl ');
}
