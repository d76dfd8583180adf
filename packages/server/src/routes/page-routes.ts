import { TholeError } from '@thole/core';
import type { Ui } from '../handler-options.ts';
import type { HandlerContext } from '../handler-context.ts';
import { anyObject } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';

const tag = 'page';
const notFound = 'No page is served, or no such file';

// The page connects only to this server. It uses inline styles, and shows previews as data and blob URLs.
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

/** The page of the option `ui`. */
export const pageRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: ['/', '/dev-ui'], tag, access: 'open' },
    summary: 'Redirects to the page.',
    responses: { 302: 'To /dev-ui/', 404: 'No page is served' },
    handle({ context, request }) {
      uiOf(context);
      const query = request.url.indexOf('?');
      const location = `${context.basePath}/dev-ui/${query < 0 ? '' : request.url.slice(query)}`;
      return new Response(null, { status: 302, headers: { location } });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/dev-ui/'], tag, access: 'open' },
    summary: 'Returns the page.',
    responses: { 200: 'text/html', 404: notFound },
    handle: ({ context, request }) => serve(uiOf(context), '', request),
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/dev-ui/config'], tag, access: 'open' },
    summary: 'Returns the logo settings that ADK’s web UI requests. There is no logo.',
    returns: anyObject,
    responses: { 200: '{"logo_text": null, "logo_image_url": null}', 404: 'No page is served' },
    handle({ context }) {
      uiOf(context);
      return Response.json({ logo_text: null, logo_image_url: null });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/dev-ui/:path{.+}'], tag, access: 'open' },
    summary: 'Returns a file of the page.',
    responses: { 200: 'text/html or another type: the file', 304: 'The file has not changed', 404: notFound },
    handle: ({ context, params, request }) => serve(uiOf(context), params['path']!, request),
  }),
];

function uiOf({ ui }: HandlerContext): Ui {
  if (!ui)
    throw new TholeError(
      'NOT_FOUND',
      'This server has no page. Pass the option ui of createHandler, or start it with thole web.',
    );
  return ui;
}

async function serve(ui: Ui, path: string, request: Request): Promise<Response> {
  const isValid = !/[\\\0]/.test(path) && !path.split('/').some((each) => each === '.' || each === '..');
  const file = isValid ? await ui(path) : undefined;
  if (!file) throw new TholeError('NOT_FOUND', 'The page has no such file.');
  const { type } = file;
  const body = typeof file.body === 'string' ? new TextEncoder().encode(file.body) : file.body;
  const etag = await etagOf(body);
  const headers: Record<string, string> = {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    etag,
    // A file with a content hash in its name never changes.
    'cache-control': /^assets\/.+-[\w-]{8}\.\w+$/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (type.startsWith('text/html')) headers['content-security-policy'] = CONTENT_SECURITY_POLICY;
  const knownTags = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (knownTags.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(body as Uint8Array<ArrayBuffer>, { headers });
}

async function etagOf(body: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
  return `"${[...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}
