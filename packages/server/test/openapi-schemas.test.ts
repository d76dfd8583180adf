import { Validator } from '@cfworker/json-schema';
import type { Schema } from '@cfworker/json-schema';
import { InMemoryArtifactService, InMemoryMemoryService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { SpanMemory } from '../src/index.ts';
import { ask } from './ask.ts';
import { demo, message, sessionPath } from './demo.ts';
import type { Demo } from './demo.ts';

interface Operation {
  responses: { [status: string]: { content?: { [type: string]: { schema?: Schema } } } };
}
interface Document {
  components: { schemas: { [name: string]: Schema } };
  paths: { [path: string]: { [method: string]: Operation } };
}

async function createFullDemo(): Promise<Demo & { document: Document }> {
  const save = new FunctionTool({
    name: 'save',
    description: 'Saves.',
    execute: async (_, context) => {
      context.state.set('saved', true);
      return { version: await context.saveArtifact('made.txt', { text: 'Hello' }) };
    },
  });
  const model = new ScriptedLlm(calls('save'), says('Done.'), calls('save'), says('Done.'));
  const served = await demo({
    rootAgent: new LlmAgent({ name: 'concierge', model, tools: [save], description: 'Helps.' }),
    artifactService: new InMemoryArtifactService(),
    memoryService: new InMemoryMemoryService(),
    traces: new SpanMemory(),
  });
  return { ...served, document: (await ask(served.handler, 'GET', '/openapi.json')).body as Document };
}

const USER = '/apps/{app}/users/{user}';
const SESSION = `${USER}/sessions/{session}`;
const user = '/apps/demo/users/ann';
const file = { filename: 'a.txt', artifact: { inlineData: { mimeType: 'text/plain', data: 'SGk=' } } };
/** Requests, and the documented path of each. */
const requests: readonly [method: string, path: string, template: string, body?: object][] = [
  ['GET', '/health', '/health'],
  ['GET', '/version', '/version'],
  ['GET', '/list-apps', '/list-apps'],
  ['GET', '/list-apps?detailed=true', '/list-apps'],
  ['GET', '/apps/demo/app-info', '/apps/{app}/app-info'],
  ['POST', '/run', '/run', message()],
  ['POST', '/run', '/run', message({ streaming: false, customMetadata: { a: 1 } })],
  ['POST', `${user}/sessions`, `${USER}/sessions`, { state: { a: null, 'user:b': [1] } }],
  ['POST', `${user}/sessions/named`, SESSION, { a: 1 }],
  ['GET', `${user}/sessions`, `${USER}/sessions`],
  ['GET', `${user}/sessions?limit=1`, `${USER}/sessions`],
  ['GET', sessionPath, SESSION],
  ['GET', `${sessionPath}?numRecentEvents=1`, SESSION],
  ['PATCH', sessionPath, SESSION, { stateDelta: { c: { d: 'e' } } }],
  ['POST', `${sessionPath}/artifacts`, `${SESSION}/artifacts`, file],
  ['GET', `${sessionPath}/artifacts`, `${SESSION}/artifacts`],
  ['GET', `${sessionPath}/artifacts/a.txt`, `${SESSION}/artifacts/{name}`],
  ['GET', `${sessionPath}/artifacts/a.txt/versions`, `${SESSION}/artifacts/{name}/versions`],
  ['GET', `${sessionPath}/artifacts/a.txt/versions/0`, `${SESSION}/artifacts/{name}/versions/{version}`],
  [
    'GET',
    `${sessionPath}/artifacts/a.txt/versions/0/metadata`,
    `${SESSION}/artifacts/{name}/versions/{version}/metadata`,
  ],
  ['GET', `${sessionPath}/artifacts/a.txt/versions/metadata`, `${SESSION}/artifacts/{name}/versions/metadata`],
  ['PATCH', `${user}/memory`, `${USER}/memory`, { sessionId: 's' }],
  ['POST', `${user}/memory`, `${USER}/memory`, { memories: [{ id: 'n', text: 'Ann likes tea.', kind: 'fact' }] }],
  ['GET', `${user}/memory`, `${USER}/memory`],
  ['GET', `${user}/memory?query=tea&explain=true`, `${USER}/memory`],
  ['GET', `${user}/memory/n`, `${USER}/memory/{memory}`],
  ['GET', `${user}/memory/n/same`, `${USER}/memory/{memory}/same`],
  ['PATCH', `${user}/memory/n`, `${USER}/memory/{memory}`, { text: 'Ann likes coffee.' }],
  ['POST', `${user}/memory/forget`, `${USER}/memory/forget`, { ids: ['n', 'unknown'] }],
  ['GET', `${sessionPath}/interrupts`, `${SESSION}/interrupts`],
  ['GET', '/apps/demo/interrupts?limit=1', '/apps/{app}/interrupts'],
  ['POST', `${sessionPath}/runs/x/cancel`, `${SESSION}/runs/{invocation}/cancel`],
  ['GET', '/dev/apps/demo/debug/trace/session/s', '/dev/apps/{app}/debug/trace/session/{session}'],
  ['GET', '/dev/apps/demo/build_graph', '/dev/apps/{app}/build_graph'],
  ['GET', '/dev/apps/demo/build_graph_image', '/dev/apps/{app}/build_graph_image'],
  ['GET', '/dev/apps/demo/eval_sets', '/dev/apps/{app}/eval_sets'],
  ['GET', '/dev/apps/demo/metrics-info', '/dev/apps/{app}/metrics-info'],
  ['GET', '/openapi.json', '/openapi.json'],
];

function schemaOf(document: Document, method: string, template: string): Schema {
  const schema =
    document.paths[template]?.[method.toLowerCase()]?.responses['200']?.content?.['application/json']?.schema;
  expect(schema, `${method} ${template}`).toBeDefined();
  return { ...schema, components: document.components } as Schema;
}

describe('GET /openapi.json', () => {
  it('has schemas that match the server’s responses', async () => {
    const { handler, document } = await createFullDemo();
    for (const [method, path, template, body] of requests) {
      const { status, body: answer } = await ask(handler, method, path, body);
      expect([path, status]).toEqual([path, 200]);
      const { valid, errors } = new Validator(schemaOf(document, method, template), '2020-12', false).validate(answer);
      expect([path, valid, errors]).toEqual([path, true, []]);
    }
    const error = (await ask(handler, 'GET', '/nowhere')).body as object;
    const errorSchema = { ...(document.components.schemas['Error'] as object), components: document.components };
    expect(new Validator(errorSchema, '2020-12').validate(error).valid).toBe(true);
  });

  it('has schemas that reject invalid objects', async () => {
    const { document } = await createFullDemo();
    const isValid = (name: string, value: unknown): boolean =>
      new Validator(
        { $ref: `#/components/schemas/${name}`, components: document.components } as Schema,
        '2020-12',
      ).validate(value).valid;
    for (const [name, wrong] of [
      ['Session', { id: 's' }],
      ['Event', { id: 'e', author: 'a', timestamp: 'now' }],
      ['Content', { parts: [{ text: 7 }] }],
      ['Part', { functionCall: { args: {} } }],
      ['Memory', { id: 'm', kind: 'other', content: {} }],
      ['Artifact', { mimeType: 'text/plain' }],
    ] as const)
      expect([name, isValid(name, wrong)]).toEqual([name, false]);
  });

  it('has a schema for every JSON response', async () => {
    const { document } = await createFullDemo();
    const without: string[] = [];
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const json = operation.responses['200']?.content?.['application/json'];
        if (json && !json.schema) without.push(`${method} ${path}`);
      }
    expect(without).toEqual([]);
  });
});
