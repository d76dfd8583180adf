/**
 * Returns a function to call after a list item was removed. It focuses the next or previous item, or the first control of the
 * panel if the list is empty, so that keyboard users stay at this place.
 */
export function focusNear(item: HTMLElement | null): () => void {
  const near = item?.nextElementSibling ?? item?.previousElementSibling;
  const panel = item?.closest<HTMLElement>('[role="tabpanel"]');
  return () =>
    requestAnimationFrame(() => {
      const button = near?.isConnected ? near.querySelector<HTMLElement>('button') : undefined;
      (button ?? panel?.querySelector<HTMLElement>('input, button') ?? panel)?.focus();
    });
}
