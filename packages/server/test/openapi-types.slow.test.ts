import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from './ask.ts';
import { demo } from './demo.ts';

describe('GET /openapi.json', () => {
  it('generates types with openapi-typescript that compile', async () => {
    const document = (await ask((await demo()).handler, 'GET', '/openapi.json')).body as OpenAPI3;
    const folder = mkdtempSync(join(tmpdir(), 'thole-openapi-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const types = astToString(await openapiTypeScript(document));
    writeFileSync(join(folder, 'api.ts'), types);
    writeFileSync(join(folder, 'client.ts'), CLIENT);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const root = join(import.meta.dirname, '../../..');
    const flags = [
      '--strict',
      '--noEmit',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
    ];
    const tsc = join(root, 'node_modules/.bin/tsc');
    const args = [...flags, '--types', '', '--pretty', 'false', join(folder, 'client.ts')];
    const { stdout, status } = spawnSync(tsc, args, { cwd: folder, encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});

const CLIENT = `import type { components, paths } from './api.ts';

type Body<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } } ? B : never;
type Answer<P extends keyof paths> = paths[P] extends { post: { responses: { 200: { content: { 'application/json': infer A } } } } } ? A : never;

async function post<P extends keyof paths>(url: string, path: P, body: Body<P>): Promise<Answer<P>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Answer<P>;
}

const newMessage: components['schemas']['Content'] = { role: 'user', parts: [{ text: 'Hello' }] };
const events = await post('http://localhost', '/run', { appName: 'demo', userId: 'ann', sessionId: 's', newMessage });
const said: string | undefined = events[0]?.content?.parts?.[0]?.text;
const author: string | undefined = events[0]?.author;
declare const session: components['schemas']['Session'];
const seconds: number | undefined = session.events[0]?.timestamp;
const memory: components['schemas']['Memory']['kind'] = 'fact';
const version: components['schemas']['Artifact']['version'] = 0;
// @ts-expect-error A message is an object.
await post('http://localhost', '/run', { userId: 'ann', sessionId: 's', newMessage: 7 });
// @ts-expect-error A body names its user.
await post('http://localhost', '/run', { sessionId: 's', newMessage });
export { author, memory, said, seconds, version };
`;
