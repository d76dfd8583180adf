import { expect, it } from 'vitest';
import { ask } from './ask.ts';
import { demo } from './demo.ts';

const session = '/apps/{app}/users/{user}/sessions/{session}';
const rows = [
  ...['get /health', 'get /version', 'get /list-apps', 'get /apps/{app}/app-info'],
  ...['get /apps/{app}/users/{user}/sessions', 'post /apps/{app}/users/{user}/sessions'],
  ...['post', 'get', 'patch', 'delete'].map((method) => `${method} ${session}`),
  ...['get', 'post'].map((method) => `${method} ${session}/artifacts`),
  ...['get', 'delete'].map((method) => `${method} ${session}/artifacts/{name}`),
  ...['', '/{version}', '/{version}/metadata'].map((path) => `get ${session}/artifacts/{name}/versions${path}`),
  ...['patch', 'get', 'post', 'delete'].map((method) => `${method} /apps/{app}/users/{user}/memory`),
  ...['patch', 'delete'].map((method) => `${method} /apps/{app}/users/{user}/memory/{memory}`),
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

it('tells every row of the API', async () => {
  const { paths } = await document();
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(rows.filter((row) => !told.includes(row))).toEqual([]);
});

it('is a document of OpenAPI 3.1: parameters of the path, ids, answers and references are whole', async () => {
  const whole = await document();
  expect(whole.openapi).toBe('3.1.0');
  const operations = Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
  for (const { path, operation } of operations) {
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
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(Object.keys(whole.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))).size).toBe(
    Object.keys(whole.paths).length,
  );
  const references = [...JSON.stringify(whole).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of new Set(references)) expect(at(whole, reference)).toBeDefined();
});

it('tells what a body and a query may hold', async () => {
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

it('names the base path as the server’s address', async () => {
  const { handler } = await demo({ basePath: '/api' });
  expect((await ask(handler, 'GET', '/api/openapi.json')).body.servers).toEqual([{ url: '/api' }]);
});

function properties(schema: object): { [name: string]: object } {
  return (schema as { properties: { [name: string]: object } }).properties;
}

function at(document: object, reference: string): unknown {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce<unknown>((value, name) => (value as { [name: string]: unknown } | undefined)?.[name], document);
}
