import { formatBytes } from '../../components/format.ts';
import type { Preview } from './preview-of.ts';

/** A preview of one version of a file. */
export function PreviewBox({ preview, label }: { preview: Preview; label: string }) {
  return (
    <figure class="preview">
      <figcaption class="muted">
        {label} · {preview.mimeType}
        {preview.kind !== 'link' && ` · ${formatBytes(preview.bytes)}`}
      </figcaption>
      <Content preview={preview} label={label} />
    </figure>
  );
}

function Content({ preview, label }: { preview: Preview; label: string }) {
  switch (preview.kind) {
    case 'image':
      return <img src={preview.url} alt={label} />;
    case 'audio':
      return <audio src={preview.url} controls aria-label={label} />;
    case 'video':
      return <video src={preview.url} controls aria-label={label} />;
    case 'text':
      return (
        <pre class="part-text" tabIndex={0} aria-label={label}>
          {preview.text}
        </pre>
      );
    case 'link':
      // The address is shown but not fetched: the page sends no requests to other hosts.
      return <p class="mono">{preview.url}</p>;
    case 'file':
      return <p class="muted">No preview for this type of file. Download it to open it.</p>;
  }
}
