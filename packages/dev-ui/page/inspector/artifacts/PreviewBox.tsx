import { useState } from 'preact/hooks';
import { formatBytes } from '../../components/format.ts';
import type { Preview } from './preview-of.ts';

/** A preview of one version of a file. */
export function PreviewBox({ preview, label }: { preview: Preview; label: string }) {
  return (
    <figure class="preview">
      <figcaption class="muted">
        {label}
        {preview.mimeType !== '' && ` · ${preview.mimeType}`}
        {preview.kind !== 'link' && ` · ${formatBytes(preview.bytes)}`}
      </figcaption>
      <Content preview={preview} label={label} />
    </figure>
  );
}

function Content({ preview, label }: { preview: Preview; label: string }) {
  if (preview.kind !== 'link' && preview.bytes === 0) return <p class="muted">The file is empty.</p>;
  switch (preview.kind) {
    case 'image':
    case 'audio':
    case 'video':
      return <Media key={preview.url} {...preview} label={label} />;
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
      return <p class="muted">No preview for files of this type or size. Download it to open it.</p>;
  }
}

function Media({ kind, url, label }: { kind: 'image' | 'audio' | 'video'; url: string; label: string }) {
  const [isBroken, setIsBroken] = useState(false);
  const onError = (): void => setIsBroken(true);
  if (isBroken) return <p class="muted">This browser cannot show the file. Download it to open it.</p>;
  if (kind === 'image') return <img src={url} alt={label} onError={onError} />;
  if (kind === 'audio') return <audio src={url} controls aria-label={label} onError={onError} />;
  return <video src={url} controls aria-label={label} onError={onError} />;
}
