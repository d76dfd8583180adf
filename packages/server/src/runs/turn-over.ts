/**
 * Resolves when this turn of the event loop is over: until then whatever needs no waiting for the world has been done. At once where the
 * platform cannot tell.
 */
export function turnOver(): Promise<void> {
  return new Promise((resolve) => {
    const { setImmediate } = globalThis as { setImmediate?: (work: () => void) => unknown };
    if (setImmediate) setImmediate(resolve);
    else resolve();
  });
}
