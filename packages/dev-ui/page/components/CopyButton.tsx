import { useState } from 'preact/hooks';
import { toast } from '../state/toast.ts';
import { IconButton } from './IconButton.tsx';
import { after } from '../state/clock.ts';

interface Props {
  text: string | (() => string);
  label?: string | undefined;
  /** True to use the browser's tooltip, which needs fewer resources if there are many buttons. */
  plain?: boolean | undefined;
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = 'Copy', plain = true }: Props) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
      setCopied(true);
      after(1_500, () => setCopied(false));
    } catch {
      toast('Cannot copy: the browser denied access to the clipboard.', { kind: 'bad' });
    }
  }
  return (
    <>
      <IconButton
        plain={plain}
        label={label}
        icon={copied ? 'check' : 'copy'}
        onClick={() => void copy()}
        class="copy-button"
      />
      <span class="visually-hidden" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </>
  );
}
