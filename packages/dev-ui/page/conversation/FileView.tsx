import type { Part } from '@thole/core';
import { useEffect, useState } from 'preact/hooks';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icons.tsx';
import { bytesIn } from '../inspector/artifacts/preview-of.ts';
import { safeHref } from '../markdown/to-blocks.ts';
import { blobOf, isImage } from './file-parts.ts';

/** An image or a file in a message. A file at another address is a link: it is not fetched. */
export function FileView({ part }: { part: Part }) {
  const [large, setLarge] = useState(false);
  const { inlineData, fileData } = part;
  const [url, setUrl] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (!inlineData) return undefined;
    const objectUrl = URL.createObjectURL(blobOf(inlineData));
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [inlineData]);
  if (fileData) {
    const href = safeHref(fileData.fileUri);
    const name = fileData.displayName ?? fileData.fileUri;
    return (
      <p class="file">
        <Icon name="file" />
        {href && /^https?:/i.test(href) ? (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        ) : (
          name
        )}
        {fileData.mimeType && <span class="muted">{fileData.mimeType}</span>}
      </p>
    );
  }
  if (!inlineData || url === undefined) return null;
  const name = inlineData.displayName ?? 'file';
  if (isImage(inlineData.mimeType)) {
    return (
      <button
        type="button"
        class="image"
        data-large={large ? '' : undefined}
        onClick={() => setLarge(!large)}
        aria-expanded={large}
      >
        <img src={url} alt={inlineData.displayName ?? 'Image'} />
      </button>
    );
  }
  if (inlineData.mimeType.startsWith('audio/')) return <audio controls src={url} aria-label={name} />;
  if (inlineData.mimeType.startsWith('video/')) return <video controls src={url} aria-label={name} class="video" />;
  return (
    <p class="file">
      <Icon name="file" />
      <a href={url} download={name}>
        {name}
      </a>
      <span class="muted">
        {inlineData.mimeType}, {formatBytes(bytesIn(inlineData.data))}
      </span>
    </p>
  );
}
