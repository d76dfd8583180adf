import { DialogDescription, DialogDismiss, DialogHeading } from '@ariakit/react';
import type { ComponentChildren } from 'preact';
import { OpenDialog } from '../components/OpenDialog.tsx';

/** Requests a confirmation of an action that cannot be undone. */
export function ConfirmDialog(p: {
  open: boolean;
  title: string;
  text: string;
  action: string;
  onConfirm: () => void;
  /** An alternative with a smaller effect. */
  other?: { action: string; onConfirm: () => void } | undefined;
  /** True if there is nothing to confirm. Default: false. */
  isDisabled?: boolean | undefined;
  onClose: () => void;
  /** Content between the text and the buttons. */
  children?: ComponentChildren;
}) {
  return (
    <OpenDialog open={p.open} onClose={p.onClose} class="dialog" backdrop={<div class="backdrop" />}>
      <DialogHeading render={<h2 />}>{p.title}</DialogHeading>
      <DialogDescription>{p.text}</DialogDescription>
      {p.children}
      <div class="button-row dialog-actions">
        <DialogDismiss class="button">Cancel</DialogDismiss>
        {p.other && <Choice {...p.other} onClose={p.onClose} />}
        <Choice {...p} isBad />
      </div>
    </OpenDialog>
  );
}

function Choice(p: {
  action: string;
  onConfirm: () => void;
  onClose: () => void;
  isBad?: boolean | undefined;
  isDisabled?: boolean | undefined;
}) {
  return (
    <button
      type="button"
      class={p.isBad ? 'button button-bad' : 'button'}
      disabled={p.isDisabled}
      onClick={() => {
        p.onClose();
        p.onConfirm();
      }}
    >
      {p.action}
    </button>
  );
}
