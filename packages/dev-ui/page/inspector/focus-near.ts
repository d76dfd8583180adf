/**
 * Remembers the neighbour of a list item that will be removed. Returns a function that focuses it, or the panel if
 * the list is empty, so that keyboard users continue in place.
 */
export function focusNear(item: HTMLElement | null): () => void {
  const near = item?.nextElementSibling ?? item?.previousElementSibling;
  const panel = item?.closest<HTMLElement>('[role="tabpanel"]');
  return () =>
    requestAnimationFrame(() => {
      const button = near?.isConnected ? near.querySelector<HTMLElement>('button') : undefined;
      (button ?? panel)?.focus();
    });
}
