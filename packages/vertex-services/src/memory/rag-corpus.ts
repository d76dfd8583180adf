import { TholeError } from '@thole/core';
import { inNewSpan, serverAttributes } from '@thole/core/kit';
import type { TracedWork } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { multipartBody } from '../client/multipart-body.ts';
import { googleMessageOf, httpStatusOf, readGoogleError } from '../client/map-google-error.ts';
import { PING_QUERY } from '../client/ping-engine.ts';
import { idOf } from '../client/vertex-client.ts';
import type { VertexClient } from '../client/vertex-client.ts';
import type { VertexPath } from '../client/vertex-path.ts';
import { toScore } from './to-score.ts';

/** Sizes of passages in tokens. Two neighbouring passages share enough text for a complete line. */
const CHUNKS = { chunkSize: 1024, chunkOverlap: 512 };

/** A file of a corpus. */
export interface RagFile {
  /** Id in the corpus. */
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
}

/** A passage of a file that a search found. */
export interface RagContext {
  readonly displayName: string;
  readonly text: string;
  readonly distance: number;
}

/** A passage in an answer. `score` is the distance in corpora that RAG Engine manages itself. */
interface WireContext {
  sourceDisplayName?: string;
  text?: string;
  distance?: number;
  score?: number;
}

/** A query of a corpus. */
export interface RagQuery {
  text: string;
  topK: number;
  vectorDistanceThreshold: number;
  /** Only these files are searched. */
  ragFileIds: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Files and searches of one corpus of RAG Engine. */
export class RagCorpus {
  readonly #client: VertexClient;
  readonly #path: VertexPath;

  constructor(client: VertexClient, path: VertexPath) {
    this.#client = client;
    this.#path = path;
  }

  /** Resolves if the account may list the files of the corpus. Throws `STORE_UNAVAILABLE` otherwise. */
  async ping(): Promise<void> {
    try {
      await this.#client.json({ url: this.#client.url(this.#path, '/ragFiles'), query: PING_QUERY });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Returns the files whose display names `isWanted` accepts, from all pages. The service has no filter. */
  async listFiles(isWanted: (displayName: string) => boolean, signal?: AbortSignal): Promise<RagFile[]> {
    const files: RagFile[] = [];
    const url = this.#client.url(this.#path, '/ragFiles');
    try {
      for await (const file of this.#client.pages({ url, signal }, 'ragFiles')) {
        const { displayName = '', description = '' } = file as { displayName?: string; description?: string };
        if (isWanted(displayName)) files.push({ id: idOf(file), displayName, description });
      }
    } catch (error) {
      throw this.#explain(error);
    }
    return files;
  }

  /** Uploads a text file and returns its id. */
  async upload({ displayName, description }: Omit<RagFile, 'id'>, text: string): Promise<string> {
    const attributes = {
      ragFile: { displayName, description },
      uploadRagFileConfig: {
        ragFileTransformationConfig: { ragFileChunkingConfig: { fixedLengthChunking: CHUNKS } },
      },
    };
    let answer: JsonObject;
    try {
      answer = await this.#client.json({
        method: 'POST',
        url: this.#client.url(this.#path, '/ragFiles:upload', 'upload/'),
        headers: { 'x-goog-upload-protocol': 'multipart' },
        body: multipartBody(attributes, new TextEncoder().encode(text), 'text/plain'),
        isUnrepeatable: true,
      });
    } catch (error) {
      throw this.#explain(error);
    }
    // A failed upload can be an answer with status 200.
    if (answer['error'] !== undefined) {
      const message = 'Vertex AI RAG Engine could not import the file of a session.';
      const cause = new Error(readGoogleError(200, answer).message);
      throw new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause });
    }
    return idOf(answer['ragFile'] as JsonObject);
  }

  /** Deletes a file. Returns false if it does not exist. */
  async remove(id: string): Promise<boolean> {
    const { location, name } = this.#path;
    const url = this.#client.url({ location, name: `${name}/ragFiles/${id}` });
    try {
      await this.#client.runOperation({ method: 'DELETE', url }, location);
      return true;
    } catch (error) {
      if (httpStatusOf(error) === 404) return false;
      throw error;
    }
  }

  /** Returns the nearest passages of the files. The call has a span `retrieval`. */
  async retrieve(query: RagQuery): Promise<RagContext[]> {
    const { runtime } = this.#client;
    return runtime.tracer.isSilent
      ? this.#retrieve(query)
      : inNewSpan(runtime, this.#spanOf(query), () => this.#retrieve(query));
  }

  async #retrieve({ text, topK, vectorDistanceThreshold, ragFileIds, signal }: RagQuery): Promise<RagContext[]> {
    const { location, name } = this.#path;
    const parent = name.slice(0, name.indexOf('/ragCorpora/'));
    const ragResources = [{ ragCorpus: name, ragFileIds: [...ragFileIds] }];
    const body = {
      vertexRagStore: { ragResources, vectorDistanceThreshold },
      query: { text, ragRetrievalConfig: { topK } },
    };
    const url = this.#client.url({ location, name: parent }, ':retrieveContexts');
    try {
      const answer = await this.#client.json({ method: 'POST', isRead: true, url, body, signal });
      const { contexts = [] } = (answer['contexts'] ?? {}) as { contexts?: WireContext[] };
      return contexts.map(({ sourceDisplayName: displayName = '', text: passage = '', distance, score = 0 }) => ({
        displayName,
        text: passage,
        distance: distance ?? score,
      }));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #spanOf({ text, topK }: RagQuery): TracedWork<RagContext[]> {
    const { name } = this.#path;
    const capturesContent = this.#client.runtime.tracer.capturesContent === true;
    return {
      name: `retrieval ${name}`,
      attributes: {
        'gen_ai.operation.name': 'retrieval',
        'gen_ai.data_source.id': name,
        'gen_ai.provider.name': 'gcp.vertex_ai',
        'gen_ai.retrieval.top_k': topK,
        ...serverAttributes(this.#client.url(this.#path)),
        'gen_ai.retrieval.query.text': capturesContent ? text : undefined,
      },
      result: (contexts) => ({
        'gen_ai.retrieval.documents': capturesContent ? JSON.stringify(contexts.map(toDocument)) : undefined,
      }),
    };
  }

  #explain(error: unknown): unknown {
    const status = httpStatusOf(error);
    const isCorpus = status === 404 || (status === 400 && /rag ?corpus/i.test(googleMessageOf(error)));
    if (!isCorpus) return error;
    const message = `The RAG corpus ${this.#path.name} does not exist. Create it, or check ragCorpus, the project and the location.`;
    return new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause: error });
  }
}

// OpenTelemetry's conventions require a score that increases with the relevance.
function toDocument({ displayName, distance, text }: RagContext): JsonObject {
  return { id: displayName, score: toScore(distance), content: text };
}
