import { InMemoryArtifactService, InMemoryMemoryService } from '@thole/mem-services';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { SpanMemory } from '../src/index.ts';
import { actionOf } from '../src/route.ts';
import { routes } from '../src/routes.ts';
import { ask } from './ask.ts';
import { demo } from './demo.ts';
import type { Demo } from './demo.ts';

const cases = routes.flatMap((route) => route.paths.map((path) => ({ route, path, title: `${route.method} ${path}` })));
const createFullDemo = (p: Parameters<typeof demo>[0] = {}): Promise<Demo> =>
  demo({
    memoryService: new InMemoryMemoryService(),
    artifactService: new InMemoryArtifactService(),
    traces: new SpanMemory(),
    ...p,
  });

/** Returns the path of a route with the given parameters, and `demo` for all others. */
function pathOf(pattern: string, names: { [name: string]: string } = {}): string {
  return pattern.replaceAll(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => names[name] ?? 'demo');
}

function paramsOf(pattern: string): string[] {
  return [...pattern.matchAll(/:(\w+)/g)].map((match) => match[1]!);
}

describe('authorize', () => {
  it.each(cases.filter(({ path }) => path.includes(':user')))(
    'calls authorize before anything else: $title',
    async ({ route, path }) => {
      const identities: unknown[] = [];
      const { handler } = await createFullDemo({
        authorize(_, identity) {
          identities.push(identity);
          return identity.userId === 'ann';
        },
      });
      const answer = await ask(
        handler,
        route.method,
        pathOf(path, { user: 'bob' }),
        route.method === 'GET' ? undefined : '{',
      );
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
      expect(identities).toEqual([{ appName: 'demo', userId: 'bob', action: actionOf(route) }]);
    },
  );

  it('is called for every route except health, version and the page', () => {
    const open = cases.filter(({ route }) => route.access === 'open').map(({ path }) => path);
    expect(open).toEqual(['/health', '/version', '/', '/dev-ui', '/dev-ui/', '/dev-ui/config', '/dev-ui/:path{.+}']);
    const bodyRoutes = cases.filter(({ route }) => route.access === 'body').map(({ path }) => path);
    expect(bodyRoutes.filter((path) => !path.includes('/debug/trace/'))).toEqual([
      '/run',
      '/run_sse',
      '/apps/:app/interrupts',
      '/ui/:app/chat',
      '/ui/:app/chat/:session/stream',
      '/ui/:app/chat/:session/stream',
      '/ui/:app/chat/:session/messages',
      '/ag-ui/:app',
      '/v1/models',
      '/v1/models/:model',
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/conversations',
      '/v1/conversations/:session',
      '/v1/conversations/:session',
      '/v1/conversations/:session',
      '/v1/conversations/:session/items',
      '/v1/conversations/:session/items',
      '/v1/conversations/:session/items/:item',
      '/v1/conversations/:session/items/:item',
    ]);
  });
});

const bodies = [
  'null',
  '[]',
  '7',
  '"x"',
  '{',
  '{"__proto__":{"a":1}}',
  '{"constructor":7,"state":{"toString":1}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
];
const shapes = [
  '{"events":[null]}',
  '{"memories":[null]}',
  '{"sessionId":{"$gt":""}}',
  '{"stateDelta":{"a":[1e999]}}',
  '{"filename":"a","artifact":{"text":[]}}',
  '{"userId":[],"sessionId":{},"newMessage":7}',
];
const names = ['%00', '%ff', '..%2F..%2Fetc', '%F0%9F%92%A9', 'x'.repeat(600), '__proto__', '%25', "'%20OR%201=1"];
const queries = [
  'limit=NaN&offset=-1&page=x',
  'numRecentEvents=9999999999&afterTimestamp=Infinity',
  'version=1e9&after=-1',
  'query=%00&minScore=',
  'cursor=%00&limit=1',
  '__proto__=1&constructor=2',
  'dark_mode=%22&node=%00',
];

describe('createHandler', () => {
  it.each(cases)('never answers bad input with a 5xx status: $title', async ({ route, path }) => {
    const { handler } = await createFullDemo({ answers: [says('Hello')] });
    const wrong: [string, string | undefined][] = [
      ...(route.method === 'GET' ? [] : [...bodies, ...shapes].map((body): [string, string] => [pathOf(path), body])),
      ...queries.map((query): [string, undefined] => [`${pathOf(path)}?${query}`, undefined]),
      ...names.flatMap((name): [string, undefined][] =>
        paramsOf(path).map((each) => [pathOf(path, { [each]: name }), undefined]),
      ),
    ];
    for (const [target, body] of wrong) {
      const { status, body: answer } = await ask(handler, route.method, target, body);
      expect(status, `${target} ${body}`).toBeLessThan(500);
      if (status >= 400) expect(answer.detail ?? answer.error.message, target).toEqual(expect.any(String));
    }
    expect((await ask(handler, 'GET', '/health')).body).toEqual({ status: 'ok' });
  });
});
