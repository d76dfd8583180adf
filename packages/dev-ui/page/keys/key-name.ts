const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

/** Returns a key as this machine's keyboard names it: `⌘K` is `Ctrl K` without a ⌘ key. */
export function keyName(keys: string, apple: boolean = isApple): string {
  return apple ? keys : keys.replace('⌘', 'Ctrl ');
}
