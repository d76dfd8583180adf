/**
 * Remembers what stands beside an item of a list that is about to go, and gives back what puts the focus there, so that keys
 * go on from where they were; on the panel where nothing is left.
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
