import { TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';

const EXPOSED = 'x-thole-invocation-id, x-session-id, x-should-retry, retry-after, location';
const knownOptions = optionNames<{ origins: unknown }>({ origins: true });
/** Scheme, host and port in lower case, without a path. Sandboxed pages send `null`. */
const ORIGIN = /^(?:\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/?#A-Z]+)$/;
const METHODS = 'GET, POST, PATCH, DELETE, OPTIONS';

/** Cross-origin rules. Rejects requests of pages whose origin is not allowed, except GET and HEAD. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(options?: { readonly origins: readonly string[] }) {
    const { origins } = options ?? { origins: [] };
    if (options) rejectUnknownOptions(options, knownOptions, 'cors');
    if (!Array.isArray(origins) || origins.some((each) => typeof each !== 'string'))
      throw invalidInput('cors.origins', 'a list of origins', origins);
    const invalid = (origins as readonly string[]).find((each) => !ORIGIN.test(each));
    if (invalid !== undefined)
      throw new TholeError(
        'INVALID_INPUT',
        `cors.origins must contain '*' or origins as browsers send them, such as "https://app.example.com", got "${invalid}".`,
      );
    this.#origins = new Set(origins);
  }

  /**
   * Returns the response to a preflight request. Undefined for other allowed requests. Throws `FORBIDDEN` for rejected requests.
   */
  check(request: Request, url: URL): Response | undefined {
    const origin = request.headers.get('origin');
    if (origin === null) return undefined;
    // A proxy may add the default port to the Host. The scheme of the origin decides which port that is.
    const host = `${origin.split('://', 1)[0]}://${request.headers.get('host') ?? url.host}`;
    const isSameOrigin = hostOf(origin) !== '' && hostOf(origin) === hostOf(host);
    const isAllowed = this.#allows(origin);
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
      return new Response(null, { status: 204, headers: isAllowed ? this.#preflight(request) : {} });
    }
    if (!isSameOrigin && !isAllowed && request.method !== 'GET' && request.method !== 'HEAD')
      throw new TholeError(
        'FORBIDDEN',
        'Pages of this origin may not use the API. If they may, add the origin to cors.origins.',
      );
    return undefined;
  }

  /** Adds the headers that allow the page to read the response. */
  addHeaders(request: Request, { headers }: Response): void {
    const origin = request.headers.get('origin');
    if (origin !== null && this.#allows(origin)) {
      headers.append('access-control-allow-origin', this.#origins.has(origin) ? origin : '*');
      headers.append('access-control-expose-headers', EXPOSED);
      if (this.#origins.has(origin)) headers.append('access-control-allow-credentials', 'true');
    }
    if (this.#origins.size > 0) headers.append('vary', 'Origin');
  }

  #allows(origin: string): boolean {
    return this.#origins.has(origin) || this.#origins.has('*');
  }

  #preflight(request: Request): Record<string, string> {
    return {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': '600',
    };
  }
}

/** Returns the host and the port, without a default port. Empty for an invalid origin. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
