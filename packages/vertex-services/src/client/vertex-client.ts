import { TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { GoogleClient } from './google-client.ts';
import type { GoogleRequest } from './google-client.ts';
import { assertHttpUrl } from './google-options.ts';
import type { GoogleOptions } from './google-options.ts';
import { processEnv, vertexUrl } from './google-place.ts';
import { httpStatusOf, readGoogleError } from './map-google-error.ts';
import type { VertexPath } from './vertex-path.ts';

/** Version of the REST API that has sessions, Memory Bank and RAG. */
const VERSION = 'v1beta1';
const PAGE_SIZE = 100;
/** Pauses between two reads of an operation, in milliseconds. The last pause is repeated. */
const POLL_MS = [100, 200, 500, 1000, 2000];
/** Maximum number of reads of an operation, which take about two minutes. */
const MAX_POLLS = 60;

/** Calls Vertex AI's REST API: paths by location, pages and long-running operations. */
export class VertexClient extends GoogleClient {
  readonly #baseUrl: string | undefined;

  constructor(options: GoogleOptions) {
    super(options, {
      product: 'Vertex AI',
      role: '"Vertex AI User" (roles/aiplatform.user)',
      api: 'aiplatform.googleapis.com',
    });
    const fromEnv = processEnv()['GOOGLE_VERTEX_BASE_URL'] || undefined;
    this.#baseUrl = options.baseUrl ?? fromEnv;
    if (this.#baseUrl !== undefined) assertHttpUrl('GOOGLE_VERTEX_BASE_URL', this.#baseUrl);
  }

  /** Returns the URL of a path. `prefix` is `upload` for uploads. */
  url({ location, name }: VertexPath, suffix: string = '', prefix: string = ''): string {
    return `${vertexUrl(location, this.#baseUrl)}/${prefix}${VERSION}/${name}${suffix}`;
  }

  /** Reads all pages of a list and yields the items in their field `member`. */
  async *pages(request: GoogleRequest, member: string, pageSize: number = PAGE_SIZE): AsyncIterable<JsonObject> {
    let pageToken: string | undefined;
    do {
      const page = await this.json({ ...request, query: { ...request.query, pageSize, pageToken } });
      yield* (page[member] as JsonObject[] | undefined) ?? [];
      pageToken = this.nextPageToken(page, pageToken);
    } while (pageToken !== undefined);
  }

  /** Sends a request that starts a long-running operation and returns the response of the finished operation. */
  async runOperation(request: GoogleRequest, location: string): Promise<JsonObject> {
    const started = await this.json(request);
    // A repeated deletion finds nothing if an attempt whose answer was lost was successful.
    if (request.method === 'DELETE' && started['name'] === undefined) return {};
    try {
      return await this.waitForOperation(started, location, request.signal);
    } catch (error) {
      // The operation of a deletion may be deleted with its resource.
      if (request.method === 'DELETE' && httpStatusOf((error as Error).cause) === 404) return {};
      throw error;
    }
  }

  /**
   * Waits for an operation. Throws its error, or `STORE_OUTCOME_UNKNOWN` if it does not finish or cannot be read: the service
   * may finish it later.
   */
  async waitForOperation(started: JsonObject, location: string, signal?: AbortSignal): Promise<JsonObject> {
    let operation = started;
    for (let polls = 0; operation['done'] !== true; polls++) {
      const name = operation['name'];
      if (typeof name !== 'string' || polls === MAX_POLLS)
        throw new TholeError('STORE_OUTCOME_UNKNOWN', 'An operation of Vertex AI did not finish in time.', {
          // Not retried: the caller already waited for the whole limit.
          details: { endedBy: 'client' },
        });
      if (polls > 0) await this.runtime.sleep(POLL_MS[Math.min(polls, POLL_MS.length) - 1]!, signal);
      operation = await this.json({ url: this.url({ location, name }), signal }).catch((cause: unknown) => {
        signal?.throwIfAborted();
        const message = 'The state of an operation of Vertex AI could not be read. The write may have been done.';
        throw new TholeError('STORE_OUTCOME_UNKNOWN', message, { cause });
      });
    }
    const error = operation['error'] as { code?: number; message?: string } | undefined;
    if (error) {
      const { message } = readGoogleError(0, { error });
      throw new TholeError('STORE_UNAVAILABLE', `An operation of Vertex AI failed with code ${String(error.code)}.`, {
        retryable: false,
        cause: new Error(message),
        details: { operationCode: error.code ?? 0 },
      });
    }
    return (operation['response'] as JsonObject | undefined) ?? {};
  }
}

/** Returns a value as a quoted string for a filter. */
export function quoteFilterValue(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Returns the id of a resource: the last part of its name. */
export function idOf(resource: JsonObject): string {
  return (resource['name'] as string).split('/').at(-1)!;
}
