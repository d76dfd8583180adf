import { focusIfLost } from '../../components/focus-if-lost.ts';
import { formatBytes } from '../../components/format.ts';

interface Props {
  label: string;
  mimeType: string;
  /** Size of the response with the file. */
  bytes: number;
  load: () => void;
}

/** A button for a version of a file that is loaded only on request. */
export function LargeFile({ label, mimeType, bytes, load }: Props) {
  return (
    <figure class="preview">
      <figcaption class="muted">
        {label}
        {mimeType !== '' && ` · ${mimeType}`}
      </figcaption>
      <p class="muted">Large files are loaded only on request.</p>
      <button
        type="button"
        class="button"
        onClick={(click) => {
          const field = click.currentTarget.closest('.artifact')?.querySelector('select');
          load();
          focusIfLost(() => field);
        }}
      >
        Load {label.toLowerCase()} ({formatBytes(bytes)})
      </button>
    </figure>
  );
}
