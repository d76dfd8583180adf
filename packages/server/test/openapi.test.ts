import { describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { demo } from './demo.ts';

const session = '/apps/{app}/users/{user}/sessions/{session}';
const operations = [
  ...['get /health', 'get /version', 'get /list-apps', 'get /apps/{app}/app-info'],
  ...['get /apps/{app}/users/{user}/sessions', 'post /apps/{app}/users/{user}/sessions'],
  ...['post', 'get', 'patch', 'delete'].map((method) => `${method} ${session}`),
  ...['get', 'post'].map((method) => `${method} ${session}/artifacts`),
  ...['get', 'delete'].map((method) => `${method} ${session}/artifacts/{name}`),
  ...['', '/{version}', '/{version}/metadata'].map((path) => `get ${session}/artifacts/{name}/versions${path}`),
  ...['patch', 'get', 'post', 'delete'].map((method) => `${method} /apps/{app}/users/{user}/memory`),
  ...['get', 'patch', 'delete'].map((method) => `${method} /apps/{app}/users/{user}/memory/{memory}`),
  'get /apps/{app}/users/{user}/memory/{memory}/same',
  'post /apps/{app}/users/{user}/memory/forget',
  ...[
    'post /run',
    'post /run_sse',
    `get ${session}/runs/{invocation}/events`,
    `post ${session}/runs/{invocation}/cancel`,
  ],
  ...['/dev/apps/{app}', '/apps/{app}', ''].flatMap((prefix) => [
    `get ${prefix}/debug/trace/{event}`,
    `get ${prefix}/debug/trace/session/{session}`,
  ]),
  ...['/dev', ''].flatMap((prefix) =>
    [
      'build_graph',
      'build_graph_image',
      'users/{user}/sessions/{session}/events/{event}/graph',
      'eval_sets',
      'eval_results',
      'metrics-info',
    ].map((path) => `get ${prefix}/apps/{app}/${path}`),
  ),
  ...['get /', 'get /dev-ui', 'get /dev-ui/{path}', 'get /openapi.json'],
];

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: object } } };
  responses: { [status: string]: { description: string; content?: object } };
}

async function document(): Promise<{ openapi: string; paths: { [path: string]: { [method: string]: Operation } } }> {
  const { handler } = await demo();
  return (await ask(handler, 'GET', '/openapi.json')).body;
}

describe('GET /openapi.json', () => {
  it('documents every route', async () => {
    const { paths } = await document();
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations.filter((each) => !documented.includes(each))).toEqual([]);
  });

  it('is OpenAPI 3.1 with complete path parameters, ids, responses and references', async () => {
    const spec = await document();
    expect(spec.openapi).toBe('3.1.0');
    const all = Object.entries(spec.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, operation })),
    );
    for (const { path, operation } of all) {
      const inPath = operation.parameters.filter((each) => each.in === 'path');
      expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
      expect(inPath.every(({ required }) => required)).toBe(true);
      const named = operation.parameters.map((each) => `${each.in} ${each.name}`);
      expect(new Set(named).size).toBe(named.length);
      for (const [status, { description }] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^([1-5]\d\d|default)$/);
        expect(description).toEqual(expect.any(String));
      }
    }
    const ids = all.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(Object.keys(spec.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))).size).toBe(
      Object.keys(spec.paths).length,
    );
    const references = [...JSON.stringify(spec).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) expect(resolvePointer(spec, reference)).toBeDefined();
  });

  it('documents bodies and queries', async () => {
    const { paths } = await document();
    const create = paths['/apps/{app}/users/{user}/sessions']!['post']!;
    expect(create.requestBody!.required).toBe(false);
    const { stateDelta } = properties(paths[session]!['patch']!.requestBody!.content['application/json'].schema);
    expect(stateDelta).toMatchObject({ type: 'object' });
    expect(paths[session]!['patch']!.requestBody!.required).toBe(true);
    const query = paths[session]!['get']!.parameters.filter((each) => each.in === 'query');
    expect(query.map(({ name, required }) => [name, required])).toEqual([
      ['numRecentEvents', false],
      ['afterTimestamp', false],
    ]);
    expect(paths['/run_sse']!['post']!.responses['200']!.content).toHaveProperty(['text/event-stream']);
  });

  it('names the base path as the URL of the server', async () => {
    const { handler } = await demo({ basePath: '/api' });
    expect((await ask(handler, 'GET', '/api/openapi.json')).body.servers).toEqual([{ url: '/api' }]);
  });
});

function properties(schema: object): { [name: string]: object } {
  return (schema as { properties: { [name: string]: object } }).properties;
}

function resolvePointer(document: object, reference: string): unknown {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce<unknown>((value, name) => (value as { [name: string]: unknown } | undefined)?.[name], document);
}
