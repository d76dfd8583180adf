import type { JsonObject } from '../json/json.ts';
import type { ArtifactMeta } from './artifact-store.ts';
import type { StoredObject } from './object-artifact-store.ts';

/**
 * Returns the content of an object that ADK or another program stored. ADK marks texts and the addresses of files in the
 * metadata; its other metadata is the caller's.
 */
export function fromAdkObject({ bytes, contentType, metadata, createTime }: StoredObject): {
  bytes: Uint8Array;
  meta: ArtifactMeta;
} {
  const { adkFileUri: fileUri, adkFileMimeType, adkIsText, adkDisplayName: displayName, ...rest } = metadata;
  const mimeType = adkFileMimeType ?? contentType;
  const about = { mimeType, createTime, ...(Object.keys(rest).length > 0 && { customMetadata: rest as JsonObject }) };
  if (fileUri === undefined && adkIsText !== 'true')
    return { bytes, meta: { kind: 'inlineData', ...about, ...(displayName !== undefined && { displayName }) } };
  const part = fileUri === undefined ? { text: new TextDecoder().decode(bytes) } : { fileData: { fileUri, mimeType } };
  return { bytes: new TextEncoder().encode(JSON.stringify(part)), meta: { kind: 'part', ...about } };
}
