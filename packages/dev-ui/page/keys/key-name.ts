const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

/** A key as this machine's keyboard names it: `⌘K` is `Ctrl K` where there is no ⌘. */
export function keyName(keys: string, apple: boolean = isApple): string {
  return apple ? keys : keys.replace('⌘', 'Ctrl ');
}
