import { Tooltip, useStoreState, useTooltipContext } from '@ariakit/react';
import type { TooltipProps } from '@ariakit/react';

/** A tooltip that is drawn only while it is open. Drawing a closed one takes longer than drawing its button. */
export function OpenTooltip(props: TooltipProps) {
  return useStoreState(useTooltipContext(), 'mounted') ? <Tooltip {...props} /> : null;
}
