import { InMemoryMemoryService } from '@thole/mem-services';
import { invalid, missing } from './google-failure.ts';
import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';
import { onlyMembers, pageOf } from './message-checks.ts';
import type { Operations } from './operations.ts';

interface ServerFile {
  name: string;
  displayName: string;
  description?: string;
  text: string;
  chunks: string[];
}

const CORPUS = '(projects/[^/]+/locations/[^/]+)/ragCorpora/([^/]+)';
const UPLOAD = new RegExp(`^/upload/v1beta1/${CORPUS}/ragFiles:upload$`);
const FILES = new RegExp(`^/v1beta1/${CORPUS}/ragFiles(?:/([^/:]+))?$`);
const RETRIEVE = /^\/v1beta1\/(projects\/[^/]+\/locations\/[^/]+):retrieveContexts$/;
/** Number of characters of a token. */
const TOKEN = 4;

/**
 * Routes of RAG Engine. Corpora whose ids begin with `missing` do not exist. Files are cut at any character. Passages are
 * ranked by words with `@thole/recall`. Passages without a shared word have a distance above the usual threshold.
 */
export class RagRoutes implements Routes {
  /** Error of the next upload, which has status 200. */
  uploadError: string | undefined;
  readonly #operations: Operations;
  readonly #corpora = new Map<string, Map<string, ServerFile>>();
  #count = 0;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** Display names and texts of the files of a corpus, oldest first. */
  filesIn(corpus: string): { displayName: string; text: string }[] {
    return [...(this.#corpora.get(corpus)?.values() ?? [])].map(({ displayName, text }) => ({ displayName, text }));
  }

  /** Stores a file as another program does. */
  put(corpus: string, displayName: string, text: string): void {
    this.#add(this.#corpusOf(corpus), corpus, { displayName, text, chunkSize: 1024, chunkOverlap: 200 });
  }

  answer(request: GoogleRequest): GoogleAnswer | Promise<GoogleAnswer> | undefined {
    const { method, path, query } = request;
    const upload = UPLOAD.exec(path);
    if (upload && method === 'POST') return this.#upload(request, upload[2]!);
    const retrieve = RETRIEVE.exec(path);
    if (retrieve && method === 'POST') return this.#retrieve(request);
    const match = FILES.exec(path);
    if (!match) return undefined;
    const [, , corpus = '', id] = match;
    const files = this.#corpusOf(corpus);
    if (id === undefined) {
      if (method !== 'GET') return undefined;
      const { page, ...next } = pageOf([...files.values()], query);
      const ragFiles = page.map(({ name, displayName, description }) => ({ name, displayName, description }));
      return { json: { ...(page.length > 0 && { ragFiles }), ...next } };
    }
    const file = files.get(id);
    if (!file) throw missing(`The RagFile ${id}`);
    if (method === 'GET') return { json: { name: file.name, displayName: file.displayName } };
    if (method !== 'DELETE') return undefined;
    files.delete(id);
    return this.#operations.start(file.name);
  }

  #upload({ headers, bytes }: GoogleRequest, corpus: string): GoogleAnswer {
    const files = this.#corpusOf(corpus);
    if (headers['x-goog-upload-protocol'] !== 'multipart') throw invalid('Unknown upload protocol.');
    const [, boundary] = /^multipart\/related; boundary=(.+)$/.exec(String(headers['content-type'])) ?? [];
    if (boundary === undefined) throw invalid('Bad multipart upload.');
    const [, about = '', content = ''] = bytes.toString().split(`--${boundary}`);
    const json = JSON.parse(about.slice(about.indexOf('\r\n\r\n') + 4)) as {
      [name: string]: { [name: string]: never };
    };
    onlyMembers(json, ['ragFile', 'uploadRagFileConfig'], 'request');
    onlyMembers(json['ragFile'], ['displayName', 'description'], 'rag_file');
    const { displayName, description } = json['ragFile'] as { displayName?: string; description?: string };
    if (!displayName || displayName.length > 128) throw invalid('display_name must have 1 to 128 characters.');
    if (this.uploadError !== undefined) {
      const error = { code: 3, message: this.uploadError };
      this.uploadError = undefined;
      return { json: { error } };
    }
    const config = json['uploadRagFileConfig'] as
      | { ragFileTransformationConfig?: { ragFileChunkingConfig?: { fixedLengthChunking?: Chunking } } }
      | undefined;
    const { chunkSize = 1024, chunkOverlap = 200 } =
      config?.ragFileTransformationConfig?.ragFileChunkingConfig?.fixedLengthChunking ?? {};
    if (chunkOverlap >= chunkSize) throw invalid('chunk_overlap must be less than chunk_size.');
    const text = content.slice(content.indexOf('\r\n\r\n') + 4, -2);
    const file = this.#add(files, corpus, { displayName, description, text, chunkSize, chunkOverlap });
    return { json: { ragFile: { name: file.name, displayName } } };
  }

  async #retrieve({ json }: GoogleRequest): Promise<GoogleAnswer> {
    onlyMembers(json, ['vertexRagStore', 'query'], 'request');
    const store = json['vertexRagStore'] as {
      ragResources?: { ragCorpus: string; ragFileIds?: string[] }[];
      vectorDistanceThreshold?: number;
    };
    onlyMembers(store, ['ragResources', 'vectorDistanceThreshold'], 'vertex_rag_store');
    const [resource, ...others] = store.ragResources ?? [];
    if (!resource || others.length > 0) throw invalid('Exactly one rag_resource is supported.');
    onlyMembers(resource, ['ragCorpus', 'ragFileIds'], 'rag_resources');
    const query = json['query'] as { text?: string; ragRetrievalConfig?: { topK?: number } };
    onlyMembers(query, ['text', 'ragRetrievalConfig'], 'query');
    onlyMembers(query.ragRetrievalConfig, ['topK', 'filter'], 'query.rag_retrieval_config');
    if (!query.text) throw invalid('query.text is required.');
    const [, , corpus = ''] = new RegExp(`^${CORPUS}$`).exec(resource.ragCorpus) ?? [];
    const files = [...this.#corpusOf(corpus)].filter(([id]) => resource.ragFileIds?.includes(id) ?? true);
    const found = await rank(
      files.flatMap(([, { displayName, chunks }]) => chunks.map((text) => ({ displayName, text }))),
      query.text,
    );
    const contexts = found
      .filter(({ distance }) => distance < (store.vectorDistanceThreshold ?? 10))
      .slice(0, query.ragRetrievalConfig?.topK ?? 10)
      .map(({ displayName, text, distance }) => {
        return { sourceUri: displayName, sourceDisplayName: displayName, text, distance, score: distance };
      });
    return { json: { contexts: contexts.length === 0 ? {} : { contexts } } };
  }

  #add(
    files: Map<string, ServerFile>,
    corpus: string,
    { displayName, description, text, chunkSize, chunkOverlap }: Required<Chunking> & NewFile,
  ): ServerFile {
    const id = `${5_000_000_000 + ++this.#count}`;
    const [size, step] = [chunkSize * TOKEN, (chunkSize - chunkOverlap) * TOKEN];
    const chunks: string[] = [];
    for (let start = 0; start === 0 || start + size - step < text.length; start += step)
      chunks.push(text.slice(start, start + size));
    const name = `projects/123456789/locations/us-central1/ragCorpora/${corpus}/ragFiles/${id}`;
    const file = { name, displayName, ...(description !== undefined && { description }), text, chunks };
    files.set(id, file);
    return file;
  }

  #corpusOf(id: string): Map<string, ServerFile> {
    if (id.startsWith('missing')) throw missing(`The RagCorpus ${id}`);
    const files = this.#corpora.get(id) ?? new Map<string, ServerFile>();
    this.#corpora.set(id, files);
    return files;
  }
}

interface Chunking {
  chunkSize?: number;
  chunkOverlap?: number;
}

interface NewFile {
  displayName: string;
  description?: string | undefined;
  text: string;
}

/** Returns the chunks, the nearest first. Of equal chunks, the last one comes first. */
async function rank(
  chunks: readonly { displayName: string; text: string }[],
  query: string,
): Promise<{ displayName: string; text: string; distance: number }[]> {
  const ranking = new InMemoryMemoryService();
  const user = { appName: 'a', userId: 'u' };
  // Each chunk has a separate session, so that no chunk is found for its neighbour.
  const memories = chunks.map(({ text }, i) => ({
    ...{ id: `${i}`, kind: 'note' as const, sessionId: `s${i}`, timestamp: 1_600_000_000 },
    content: { parts: [{ text: textsIn(text) }] },
  }));
  await ranking.addMemory({ ...user, memories });
  const { memories: ranked } = await ranking.searchMemory({ ...user, query, limit: 1000 });
  const distances = new Map(ranked.map(({ id, score = 0 }) => [id, 0.6 / (1 + score)]));
  return chunks
    .map((chunk, i) => ({ ...chunk, distance: distances.get(`${i}`) ?? 0.9 }))
    .toReversed()
    .sort((a, b) => a.distance - b.distance);
}

// An embedding represents the texts of a passage, not its keys.
function textsIn(chunk: string): string {
  const texts = [...chunk.matchAll(/"text":"((?:[^"\\]|\\.)*)/g)].map(([, text]) => text);
  return texts.length > 0 ? texts.join('\n') : chunk;
}
