import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { IconButton } from '../components/IconButton.tsx';
import { OpenDialog } from '../components/OpenDialog.tsx';

interface Props {
  open: Signal<boolean>;
  side: 'left' | 'right';
  label: string;
  children: ComponentChildren;
}

/** A panel over the conversation, for screens without space next to it. */
export function Drawer({ open, side, label, children }: Props) {
  return (
    <OpenDialog
      open={open.value}
      onClose={() => (open.value = false)}
      aria-label={label}
      class="drawer"
      data-side={side}
      backdrop={<div class="backdrop" />}
      unmountOnHide
    >
      <div class="drawer-close">
        <IconButton label={`Close ${label.toLowerCase()}`} icon="close" plain onClick={() => (open.value = false)} />
      </div>
      {children}
    </OpenDialog>
  );
}
