import { describe, expect, it } from 'vitest';
import type { Ui } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { demo } from '../demo.ts';

const requested: string[] = [];
const ui: Ui = async (path) => {
  requested.push(path);
  if (path === '') return { body: '<!doctype html>', type: 'text/html; charset=utf-8' };
  if (path === 'assets/main-Ab3_-xY9.js') return { body: new TextEncoder().encode('1'), type: 'text/javascript' };
  if (path === 'theme.js') return { body: '2', type: 'text/javascript' };
  return undefined;
};

describe('GET /dev-ui/', () => {
  it('redirects / and /dev-ui to the page, with the base path and the query', async () => {
    const { handler } = await demo({ ui });
    const { handler: handlerWithBasePath } = await demo({ ui, basePath: '/api' });
    const redirect = async (from: string, by = handler): Promise<unknown> => {
      const { status, headers } = await ask(by, 'GET', from);
      return [status, headers.get('location')];
    };
    expect(await redirect('/')).toEqual([302, '/dev-ui/']);
    expect(await redirect('/dev-ui?app=demo')).toEqual([302, '/dev-ui/?app=demo']);
    expect(await redirect('/api', handlerWithBasePath)).toEqual([302, '/api/dev-ui/']);
    expect(await redirect('/api/?app=demo', handlerWithBasePath)).toEqual([302, '/api/dev-ui/?app=demo']);
    expect(await redirect('/api/dev-ui', handlerWithBasePath)).toEqual([302, '/api/dev-ui/']);
    expect((await ask(handlerWithBasePath, 'GET', '/api/dev-ui/')).body).toBe('<!doctype html>');
  });

  it('serves the page with a policy that allows no other servers', async () => {
    const { handler } = await demo({ ui });
    const { status, body, headers } = await ask(handler, 'GET', '/dev-ui/');
    expect([status, body, headers.get('content-type')]).toEqual([200, '<!doctype html>', 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('lets browsers cache hashed files forever, and revalidate the others', async () => {
    const { handler } = await demo({ ui });
    const hashed = await ask(handler, 'GET', '/dev-ui/assets/main-Ab3_-xY9.js');
    expect([hashed.body, hashed.headers.get('cache-control')]).toEqual(['1', 'public, max-age=31536000, immutable']);
    expect(hashed.headers.get('content-security-policy')).toBeNull();
    const plain = await ask(handler, 'GET', '/dev-ui/theme.js');
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    const etag = plain.headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const request = new Request('http://localhost/dev-ui/theme.js', { headers: { 'if-none-match': known } });
      const { status, body } = await handler(request);
      expect([status, body]).toEqual([304, null]);
    }
    const request = new Request('http://localhost/dev-ui/theme.js', { headers: { 'if-none-match': '"other"' } });
    expect((await handler(request)).status).toBe(200);
  });

  it('answers 404 for unknown files and for paths outside the folder', async () => {
    const { handler } = await demo({ ui });
    requested.length = 0;
    for (const path of ['..%2Fpackage.json', 'a/%2e%2e%2f%2e%2e%2fb', '..%5Cx', 'a%00b', 'a%2F..%2F..']) {
      const { status, body } = await ask(handler, 'GET', `/dev-ui/${path}`);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(requested).toEqual([]);
    expect((await ask(handler, 'GET', '/dev-ui/unknown.js')).status).toBe(404);
  });

  it('answers 404 as JSON if no page is served', async () => {
    const { handler } = await demo();
    for (const path of ['/', '/dev-ui', '/dev-ui/', '/dev-ui/theme.js']) {
      const { status, body } = await ask(handler, 'GET', path);
      expect([status, body]).toEqual([404, { detail: expect.any(String), code: 'NOT_FOUND' }]);
    }
  });

  it('serves the page without authorize, because it has no data', async () => {
    const { handler } = await demo({ ui, authorize: () => false });
    expect((await ask(handler, 'GET', '/dev-ui/')).status).toBe(200);
    expect((await ask(handler, 'GET', '/list-apps')).status).toBe(403);
  });

  it('returns the logo settings for ADK’s web UI if a page is served', async () => {
    const { handler } = await demo({ ui });
    const answer = await ask(handler, 'GET', '/dev-ui/config');
    expect([answer.status, answer.body]).toEqual([200, { logo_text: null, logo_image_url: null }]);
    expect((await ask((await demo()).handler, 'GET', '/dev-ui/config')).status).toBe(404);
  });
});
