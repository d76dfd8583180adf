/** An answer of Google to save, without the names of the project. */
export interface RecordedAnswer {
  /** Method and path, with `*` for ids. */
  route: string;
  status: number;
  body: unknown;
}

const MAX_BODY = 4000;

/** Keeps the first answer of each route and status. Requests, headers and tokens are not kept. */
export class AnswerRecorder {
  readonly answers: RecordedAnswer[] = [];
  readonly fetch: typeof globalThis.fetch;

  constructor(fetch: typeof globalThis.fetch, project: string) {
    this.fetch = async (input, init) => {
      const response = await fetch(input, init);
      const { host, pathname } = new URL(input instanceof Request ? input.url : input);
      if (/oauth2|\/token/.test(host + pathname)) return response;
      const route = `${init?.method ?? 'GET'} ${routeOf(pathname)}`;
      if (this.answers.some((each) => each.route === route && each.status === response.status)) return response;
      const text = (await response.clone().text()).slice(0, MAX_BODY);
      const anonymous = text.replaceAll(project, 'hotel').replaceAll(/projects\/\d+/g, 'projects/123456789');
      this.answers.push({ route, status: response.status, body: parseJsonOrText(anonymous) });
      return response;
    };
  }
}

function routeOf(path: string): string {
  return path
    .replace(
      /\/(projects|locations|reasoningEngines|sessions|events|memories|ragCorpora|ragFiles|operations)\/[^/:]+/g,
      '/$1/*',
    )
    .replace(/\/b\/[^/]+\/o(\/.+)?/, (_, object: string | undefined) => (object === undefined ? '/b/*/o' : '/b/*/o/*'));
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
