import { Tooltip, TooltipAnchor, TooltipProvider } from '@ariakit/react';
import type { JSX } from 'preact';
import { isTouch } from '../state/screen.ts';
import { Icon } from './icons.tsx';
import type { IconName } from './icons.tsx';

interface Props extends Omit<JSX.IntrinsicElements['button'], 'icon' | 'label' | 'class'> {
  class?: string | undefined;
  /** What it does; shown when it is pointed at. */
  label: string;
  icon: IconName;
  keys?: string | undefined;
  /**
   * The browser's own tooltip: where there are many, and where it is focused first, as Escape would close the tooltip and not
   * what it stands in.
   */
  plain?: boolean | undefined;
}

/** A button with a sign in place of a word. */
export function IconButton({ label, icon, keys, plain, class: more = '', ...rest }: Props) {
  const sign = <Icon name={icon} />;
  if (plain) {
    return (
      <button type="button" aria-label={label} title={label} {...rest} class={`icon-button ${more}`}>
        {sign}
      </button>
    );
  }
  return (
    <TooltipProvider timeout={500}>
      <TooltipAnchor render={<button type="button" aria-label={label} {...rest} class={`icon-button ${more}`} />}>
        {sign}
      </TooltipAnchor>
      <Tooltip class="tooltip" gutter={6}>
        {label} {keys && !isTouch.value && <kbd>{keys}</kbd>}
      </Tooltip>
    </TooltipProvider>
  );
}
