import { Dialog, DialogDescription, DialogDismiss, DialogHeading } from '@ariakit/react';

/** Asks before something that cannot be undone. */
export function ConfirmDialog(p: {
  open: boolean;
  title: string;
  text: string;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog open={p.open} onClose={p.onClose} class="dialog" backdrop={<div class="backdrop" />}>
      <DialogHeading render={<h2 />}>{p.title}</DialogHeading>
      <DialogDescription>{p.text}</DialogDescription>
      <div class="button-row dialog-actions">
        <DialogDismiss class="button">Cancel</DialogDismiss>
        <button
          type="button"
          class="button button-bad"
          onClick={() => {
            p.onClose();
            p.onConfirm();
          }}
        >
          {p.action}
        </button>
      </div>
    </Dialog>
  );
}
