import { useState } from 'preact/hooks';
import { toast } from '../state/toast.ts';
import { IconButton } from './IconButton.tsx';

interface Props {
  text: string | (() => string);
  label?: string | undefined;
  /** True to use the browser's tooltip, which is cheap for many buttons. */
  plain?: boolean | undefined;
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = 'Copy', plain = true }: Props) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    } catch {
      toast('The browser did not allow copying.', { kind: 'bad' });
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
