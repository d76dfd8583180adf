import { Tooltip, useStoreState, useTooltipContext } from '@ariakit/react';
import type { TooltipProps } from '@ariakit/react';

/** A tooltip that is drawn only while it is open, because drawing a closed one also takes time. */
export function OpenTooltip(props: TooltipProps) {
  const context = useTooltipContext();
  return useStoreState(props.store ?? context, 'mounted') ? <Tooltip {...props} /> : null;
}
