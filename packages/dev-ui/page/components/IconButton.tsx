import { TooltipAnchor, TooltipProvider } from '@ariakit/react';
import type { JSX } from 'preact';
import { isTouch } from '../state/screen.ts';
import { Icon } from './icons.tsx';
import type { IconName } from './icons.tsx';
import { OpenTooltip } from './OpenTooltip.tsx';

interface Props extends Omit<JSX.IntrinsicElements['button'], 'icon' | 'label' | 'class'> {
  class?: string | undefined;
  /** Name of the action, shown as a tooltip. */
  label: string;
  icon: IconName;
  /** Keyboard shortcut, shown in the tooltip. */
  keys?: string | undefined;
  /**
   * True to use the browser's tooltip: for many buttons, and for the first focused button of a dialog, where Escape
   * would otherwise close only the tooltip.
   */
  plain?: boolean | undefined;
}

/** A button with an icon instead of a text. */
export function IconButton({ label, icon, keys, plain, class: more = '', ...rest }: Props) {
  const image = <Icon name={icon} />;
  if (plain) {
    return (
      <button type="button" aria-label={label} title={label} {...rest} class={`icon-button ${more}`}>
        {image}
      </button>
    );
  }
  return (
    <TooltipProvider timeout={500}>
      <TooltipAnchor render={<button type="button" aria-label={label} {...rest} class={`icon-button ${more}`} />}>
        {image}
      </TooltipAnchor>
      <OpenTooltip class="tooltip" gutter={6}>
        {label} {keys && !isTouch.value && <kbd>{keys}</kbd>}
      </OpenTooltip>
    </TooltipProvider>
  );
}
