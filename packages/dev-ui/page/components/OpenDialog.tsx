import { Dialog } from '@ariakit/react';
import type { DialogProps } from '@ariakit/react';
import { useRef } from 'preact/hooks';

/**
 * A dialog that is drawn from its first opening on, because drawing a closed one also takes time. It is not removed when it
 * closes: it then returns the focus.
 */
export function OpenDialog(props: DialogProps & { open: boolean }) {
  const wasOpened = useRef(false);
  wasOpened.current ||= props.open;
  return wasOpened.current ? <Dialog {...props} /> : null;
}
