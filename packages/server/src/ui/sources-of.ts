import { isPlainObject } from '@thole/core/kit';
import type { Event } from '@thole/core';
import type { UiChunk } from './ui-chunk.ts';
import { webUrl } from './web-url.ts';

/** A source that an answer cites. */
export type SourceChunk = UiChunk & { type: 'source-url' | 'source-document' };

/** Returns the sources in the grounding and citations of an answer, each once. */
export function sourcesOf({ groundingMetadata, citationMetadata }: Event): SourceChunk[] {
  const cited = [
    ...list(groundingMetadata?.['groundingChunks']).map((chunk) =>
      isPlainObject(chunk) ? (chunk['web'] ?? chunk['retrievedContext']) : undefined,
    ),
    ...list(citationMetadata?.['citations']),
    ...list(citationMetadata?.['citationSources']),
  ];
  const sources = new Map<string, SourceChunk>();
  for (const each of cited) {
    if (!isPlainObject(each)) continue;
    const url = webUrl(each['uri']);
    const title = typeof each['title'] === 'string' && each['title'] !== '' ? each['title'] : undefined;
    const sourceId = url ?? title;
    if (sourceId === undefined || sources.has(sourceId)) continue;
    sources.set(
      sourceId,
      url === undefined
        ? { type: 'source-document', sourceId, mediaType: 'text/plain', title: title! }
        : { type: 'source-url', sourceId, url, ...(title !== undefined && { title }) },
    );
  }
  return [...sources.values()];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
