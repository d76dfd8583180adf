import { DialogHeading } from '@ariakit/react';
import { IconButton } from '../components/IconButton.tsx';
import { OpenDialog } from '../components/OpenDialog.tsx';
import { commands } from '../state/commands.ts';
import { keyName } from './key-name.ts';
import { keysOpen } from './keys-open.ts';

const fixedKeys: readonly (readonly [string, string])[] = [
  ['⌘K', 'Find anything'],
  ['⌘⏎', 'Send the message'],
  ['Esc', 'Close, or leave the field'],
];

/** The list of keyboard shortcuts. */
export function KeysDialog() {
  const commandKeys = commands.value.flatMap(({ keys, label }) => (keys === undefined ? [] : [[keys, label] as const]));
  return (
    <OpenDialog
      open={keysOpen.value}
      onClose={() => (keysOpen.value = false)}
      class="dialog"
      backdrop={<div class="backdrop" />}
      unmountOnHide
    >
      <header class="dialog-head">
        <DialogHeading>Keyboard shortcuts</DialogHeading>
        <IconButton label="Close" icon="close" plain onClick={() => (keysOpen.value = false)} />
      </header>
      <dl class="keys">
        {[...fixedKeys, ...commandKeys].map(([keys, label]) => (
          <div key={keys}>
            <dt>
              <kbd>{keyName(keys)}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </OpenDialog>
  );
}
