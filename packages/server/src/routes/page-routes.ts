import { TholeError } from '@thole/core';
import type { Ui } from '../handler-options.ts';
import type { HandlerContext } from '../handler-context.ts';
import { anyObject } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route } from '../route.ts';

const tag = 'page';
const missing = 'No page is served, or no such file';

// The page takes everything from here and sends nothing elsewhere. Styles are set on elements, previews are made of bytes at hand.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page for looking at sessions and runs, where one is handed to the handler. */
export const pageRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: ['/', '/dev-ui'], tag, access: 'open' },
    summary: 'Leads to the page.',
    answers: { 302: 'To /dev-ui/', 404: 'No page is served' },
    handle({ house, request }) {
      uiOf(house);
      const query = request.url.indexOf('?');
      const location = `${house.basePath}/dev-ui/${query < 0 ? '' : request.url.slice(query)}`;
      return new Response(null, { status: 302, headers: { location } });
    },
  }),
  route({
    ...{ method: 'GET', paths: ['/dev-ui/'], tag, access: 'open' },
    summary: 'The page.',
    answers: { 200: 'text/html', 404: missing },
    handle: ({ house, request }) => serve(uiOf(house), '', request),
  }),
  route({
    ...{ method: 'GET', paths: ['/dev-ui/config'], tag, access: 'open' },
    summary: 'What ADK’s web UI asks about its logo: there is none.',
    returns: anyObject,
    answers: { 200: '{"logo_text": null, "logo_image_url": null}', 404: 'No page is served' },
    handle({ house }) {
      uiOf(house);
      return Response.json({ logo_text: null, logo_image_url: null });
    },
  }),
  route({
    ...{ method: 'GET', paths: ['/dev-ui/:path{.+}'], tag, access: 'open' },
    summary: 'A file of the page.',
    answers: { 200: 'text/html or another type: the file', 304: 'It is the one you have', 404: missing },
    handle: ({ house, names, request }) => serve(uiOf(house), names['path']!, request),
  }),
];

function uiOf({ ui }: HandlerContext): Ui {
  if (!ui) throw new TholeError('NOT_FOUND', 'No page is served here.');
  return ui;
}

async function serve(ui: Ui, path: string, request: Request): Promise<Response> {
  const isPlain = !/[\\\0]/.test(path) && !path.split('/').some((each) => each === '.' || each === '..');
  const file = isPlain ? await ui(path) : undefined;
  if (!file) throw new TholeError('NOT_FOUND', 'The page has no such file.');
  const { type } = file;
  const body = typeof file.body === 'string' ? new TextEncoder().encode(file.body) : file.body;
  const etag = await etagOf(body);
  const headers: Record<string, string> = {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    etag,
    // What is named by its content never changes.
    'cache-control': /^assets\/.+-[\w-]{8}\.\w+$/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (type.startsWith('text/html')) headers['content-security-policy'] = CONTENT_SECURITY_POLICY;
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(body as Uint8Array<ArrayBuffer>, { headers });
}

async function etagOf(body: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
  return `"${[...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}
