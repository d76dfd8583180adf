import { signal } from '@preact/signals';
import { openKey } from '../state/session.ts';

/** The folds that are open. They are stored here, because rows outside the view are not drawn. */
const openFolds = signal<ReadonlySet<string>>(new Set());

/** A fold of the open session and a function that opens or closes it. */
export type Fold = readonly [open: boolean, setOpen: (open: boolean) => void];

/** Returns the fold of a block. A copy of a session has events with the same ids. */
export function foldOf(eventId: string, block: number): Fold {
  const key = JSON.stringify([openKey.value, eventId, block]);
  const setOpen = (open: boolean): void => {
    const next = new Set(openFolds.peek());
    if (open) next.add(key);
    else next.delete(key);
    openFolds.value = next;
  };
  return [openFolds.value.has(key), setOpen];
}
