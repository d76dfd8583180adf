import type { FileData, InlineData } from '@thole/core';
import type { UiChunk } from './ui-chunk.ts';
import { webUrl } from './web-url.ts';

/** Returns the chunk of a file. Undefined for a file that a page cannot load, such as `gs://…`. */
export function fileChunk(p: {
  inlineData?: InlineData | undefined;
  fileData?: FileData | undefined;
}): (UiChunk & { type: 'file' }) | undefined {
  if (p.inlineData) {
    const { data, mimeType } = p.inlineData;
    // A data URL needs standard base64.
    const base64 = data.replaceAll('-', '+').replaceAll('_', '/');
    return { type: 'file', url: `data:${mimeType};base64,${base64}`, mediaType: mimeType };
  }
  const url = webUrl(p.fileData?.fileUri);
  return url === undefined
    ? undefined
    : { type: 'file', url, mediaType: p.fileData!.mimeType ?? 'application/octet-stream' };
}
