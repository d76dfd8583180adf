import { createClient } from '@thole/client';
import type { ArtifactRef, Part } from '@thole/core';
import { accessHeaders } from '../../state/access-token.ts';
import { baseUrl, client } from '../../state/client.ts';
import { trackedFetch } from '../../state/connection.ts';

/** One version of a file. If it is large, only its type and the size of its response are known. */
export type LoadedArtifact = { part: Part } | { part?: undefined; mimeType: string; bytes: number };

/** Maximum size of a response that is loaded without a request of the user: about 7 MB of a file as base64. */
const MAX_BYTES = 10_000_000;

/** Returns one version of a file. A large one is loaded only if `isRequested`. */
export async function loadArtifact(
  p: ArtifactRef & { version: number; signal: AbortSignal },
  isRequested: boolean,
): Promise<LoadedArtifact> {
  if (isRequested) return { part: await client.artifacts.load(p) };
  let bytes = 0;
  const limitedClient = createClient({
    baseUrl,
    headers: accessHeaders,
    async fetch(address, init) {
      const response = await trackedFetch(address, init);
      bytes = Number(response.headers.get('content-length'));
      // The client then ends the request.
      if (bytes > MAX_BYTES) throw new RangeError('The file is large.');
      return response;
    },
  });
  try {
    return { part: await limitedClient.artifacts.load(p) };
  } catch (error) {
    if (bytes <= MAX_BYTES) throw error;
    const { mimeType = '' } = await client.artifacts.metadata(p);
    return { mimeType, bytes };
  }
}
