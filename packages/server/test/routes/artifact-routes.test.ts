import { InMemoryArtifactService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import type { Answer } from '../ask.ts';
import { demo, session, sessionPath } from '../demo.ts';

const ALL = `${sessionPath}/artifacts`;
const artifactService = (): InMemoryArtifactService => new InMemoryArtifactService({ runtime: new FixedRuntime() });
const file = { inline_data: { mime_type: 'text/plain', data: 'SGVsbG8=' } };

describe('…/sessions/{session}/artifacts', () => {
  it('saves versions from 0 on, and returns the metadata of each', async () => {
    const { handler } = await demo({ artifactService: artifactService() });
    const first = await ask(handler, 'POST', ALL, {
      filename: 'a.txt',
      artifact: file,
      custom_metadata: { my_key: null },
    });
    const second = await ask(handler, 'POST', ALL, {
      filename: 'a.txt',
      artifact: { text: 'Hello' },
      customMetadata: null,
    });
    expect(first.body).toEqual({
      version: 0,
      mimeType: 'text/plain',
      createTime: 1_700_000_000,
      customMetadata: { my_key: null },
    });
    expect(second.body).toEqual({ version: 1, mimeType: 'text/plain', createTime: 1_700_000_000 });
    expect((await ask(handler, 'GET', `${ALL}/a.txt/versions/metadata`)).body).toEqual([first.body, second.body]);
  });

  it('reads the metadata of at most four versions at a time', async () => {
    const service = artifactService();
    const { handler } = await demo({ artifactService: service });
    for (const text of 'abcdef') await ask(handler, 'POST', ALL, { filename: 'a', artifact: { text } });
    const read = service.getArtifactVersion.bind(service);
    let active = 0;
    const counts: number[] = [];
    service.getArtifactVersion = async (ref) => {
      counts.push(++active);
      return read(ref).finally(() => active--);
    };
    expect((await ask(handler, 'GET', `${ALL}/a/versions/metadata`)).body).toHaveLength(6);
    expect(counts).toEqual([1, 2, 3, 4, 1, 2]);
  });

  it('lists the names of the session and of the user', async () => {
    const { handler } = await demo({ artifactService: artifactService() });
    for (const filename of ['b', 'user:a']) await ask(handler, 'POST', ALL, { filename, artifact: file });
    expect((await ask(handler, 'GET', ALL)).body).toEqual(['b', 'user:a']);
    expect((await ask(handler, 'GET', '/apps/demo/users/ann/sessions/other/artifacts')).body).toEqual(['user:a']);
    expect((await ask(handler, 'GET', '/apps/demo/users/ann/sessions/other/artifacts/user:a')).status).toBe(200);
    expect((await ask(handler, 'GET', '/apps/demo/users/bob/sessions/other/artifacts/user:a')).status).toBe(404);
  });

  it('loads the newest version, or the given one', async () => {
    const { handler } = await demo({ artifactService: artifactService() });
    for (const text of ['zero', 'one']) await ask(handler, 'POST', ALL, { filename: 'a', artifact: { text } });
    const load = async (path: string): Promise<string> => (await ask(handler, 'GET', `${ALL}/a${path}`)).body.text;
    expect([await load(''), await load('?version=0'), await load('/versions/0')]).toEqual(['one', 'zero', 'zero']);
    expect(await load('/versions/latest')).toBe('one');
    expect((await ask(handler, 'GET', `${ALL}/a/versions`)).body).toEqual([0, 1]);
    expect((await ask(handler, 'GET', `${ALL}/a/versions/0/metadata`)).body.version).toBe(0);
    expect((await ask(handler, 'GET', `${ALL}/a/versions/latest/metadata`)).body.version).toBe(1);
  });

  it.each([
    ['notes/today.md', 'notes/today.md'],
    ['notes/today.md', 'notes%2Ftoday.md'],
    ['a/versions', 'a%2Fversions'],
    ['versions', 'versions'],
    ['a/versions/1/metadata', 'a%2Fversions%2F1%2Fmetadata'],
    ['100 %', '100%20%25'],
    ['日本/ü', '%E6%97%A5%E6%9C%AC/%C3%BC'],
    ['../secret', '..%2Fsecret'],
  ])('accepts the name %s as %s in a path', async (filename, path) => {
    const service = artifactService();
    const { handler } = await demo({ artifactService: service });
    await service.saveArtifact({ ...session, filename, artifact: { text: 'here' } });
    const get = (rest: string): Promise<Answer> => ask(handler, 'GET', `${ALL}/${path}${rest}`);
    expect((await get('')).body).toEqual({ text: 'here' });
    expect((await get('/versions')).body).toEqual([0]);
    expect((await get('/versions/0')).body).toEqual({ text: 'here' });
    expect((await get('/versions/0/metadata')).body.version).toBe(0);
    expect((await ask(handler, 'DELETE', `${ALL}/${path}`)).status).toBe(204);
    expect((await get('')).status).toBe(404);
  });

  it('answers 204 if there is nothing to delete', async () => {
    const { handler } = await demo({ artifactService: artifactService() });
    expect((await ask(handler, 'DELETE', `${ALL}/a`)).status).toBe(204);
  });

  it.each(['/versions', '/versions/0', '/versions/latest', '/versions/0/metadata'])(
    'answers 405 to DELETE …/artifacts/a%s, and deletes nothing',
    async (path) => {
      const { handler } = await demo({ artifactService: artifactService() });
      await ask(handler, 'POST', ALL, { filename: 'a', artifact: file });
      const { body, headers, status } = await ask(handler, 'DELETE', `${ALL}/a${path}?x=1`);
      expect([status, headers.get('allow'), body.code]).toEqual([405, 'GET', 'METHOD_NOT_ALLOWED']);
      expect(body.detail).toBe('A version cannot be deleted by itself. Delete the artifact a with all its versions.');
      expect((await ask(handler, 'GET', `${ALL}/a/versions`)).body).toEqual([0]);
    },
  );

  it('answers 404 with ADK’s message on every route without an artifact service', async () => {
    const { handler } = await demo();
    for (const path of ['', '/a', '/a/versions', '/a/versions/0', '/a/versions/0/metadata', '/a/versions/metadata']) {
      const { status, body } = await ask(handler, 'GET', ALL + path);
      expect([status, body.detail]).toEqual([404, 'Artifact service is not configured']);
    }
    expect((await ask(handler, 'POST', ALL, { filename: 'a', artifact: file })).status).toBe(404);
    expect((await ask(handler, 'DELETE', `${ALL}/a`)).status).toBe(404);
  });

  it('answers 404 for an unknown artifact or version', async () => {
    const { handler } = await demo({ artifactService: artifactService() });
    await ask(handler, 'POST', ALL, { filename: 'a', artifact: file });
    for (const path of [
      '/b',
      '/a?version=1',
      '/a/versions/1',
      '/a/versions/1/metadata',
      '/b/versions',
      '/b/versions/metadata',
    ])
      expect((await ask(handler, 'GET', ALL + path)).status).toBe(404);
  });

  it('answers 413 for an artifact that is too large', async () => {
    const { handler } = await demo({ artifactService: new InMemoryArtifactService({ maxBytes: 3 }) });
    expect((await ask(handler, 'POST', ALL, { filename: 'a', artifact: file })).status).toBe(413);
  });

  it.each([
    { artifact: file },
    { filename: 'a' },
    { filename: '', artifact: file },
    { filename: 'user:', artifact: file },
    { filename: 'a\0', artifact: file },
    { filename: { $ne: 1 }, artifact: file },
    { filename: 'a', artifact: null },
    { filename: 'a', artifact: [] },
    { filename: 'a', artifact: {} },
    { filename: 'a', artifact: { text: 7 } },
    { filename: 'a', artifact: { inlineData: { mimeType: 'a/b', data: '***' } } },
    { filename: 'a', artifact: { inlineData: { mimeType: 1, data: '' } } },
    { filename: 'a', artifact: file, customMetadata: 'x' },
  ])('rejects %j with 400, and saves nothing', async (body) => {
    const { handler } = await demo({ artifactService: artifactService() });
    expect((await ask(handler, 'POST', ALL, body)).status).toBe(400);
    expect((await ask(handler, 'GET', ALL)).body).toEqual([]);
  });

  it.each([
    '/a/versions/x',
    '/a/versions/-1',
    '/a/versions/1e3/metadata',
    '/a?version=x',
    '/%00',
    '/a?version=99999999999999999999',
  ])('rejects %s with 400', async (path) => {
    const { handler } = await demo({ artifactService: artifactService() });
    expect((await ask(handler, 'GET', ALL + path)).status).toBe(400);
  });

  it('answers 404 for an unknown session, and saves nothing', async () => {
    const service = artifactService();
    const { handler } = await demo({ artifactService: service });
    for (const filename of ['a', 'user:a']) {
      const path = '/apps/demo/users/ann/sessions/nowhere/artifacts';
      const answer = await ask(handler, 'POST', path, { filename, artifact: file });
      expect([answer.status, answer.body.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    }
    expect(await service.listArtifactKeys({ ...session, sessionId: 'nowhere' })).toEqual([]);
  });
});
