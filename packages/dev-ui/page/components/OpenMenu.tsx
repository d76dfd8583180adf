import { Menu, useMenuContext, useStoreState } from '@ariakit/react';
import type { MenuProps } from '@ariakit/react';

/** A menu that is drawn only while it is open. Drawing a closed one takes longer than drawing its button. */
export function OpenMenu(props: MenuProps) {
  return useStoreState(useMenuContext(), 'mounted') ? <Menu {...props} /> : null;
}
