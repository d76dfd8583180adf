import { createHash, timingSafeEqual } from 'node:crypto';
import { TholeError } from '@thole/core';
import type { Companion } from '../companion.ts';
import { readPageData } from './read-page-data.ts';
import { renderPage } from './render-page.ts';
import { STYLE } from './style.ts';

/** Maximum size of a form in bytes. */
const MAX_BODY_BYTES = 16_384;
const COOKIE = 'companion_token';

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const NOTES: { readonly [name: string]: string } = { yes: 'Approved.', no: 'Rejected.' };

/** Options of `createPageHandler`. */
export interface PageHandlerOptions {
  companion: Companion;
  /** Needed once in the address, `/?token=…`. Then a cookie contains it. */
  token: string;
}

/** Returns the handler of the page. It never rejects. Only requests with the token can read or change data. */
export function createPageHandler({ companion, token }: PageHandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await handle(request, companion, token);
    } catch (error) {
      const status = (TholeError.is(error) ? error.status : undefined) ?? 500;
      return text(status, TholeError.is(error) ? error.message : 'The companion failed with an unexpected error.');
    }
  };
}

async function handle(request: Request, companion: Companion, token: string): Promise<Response> {
  const url = new URL(request.url);
  const tokenParam = url.searchParams.get('token');
  if (tokenParam !== null && isSame(tokenParam, token)) {
    const cookie = `${COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/`;
    return new Response(null, { status: 303, headers: { ...HEADERS, location: '/', 'set-cookie': cookie } });
  }
  if (!isSame(readCookie(request), token))
    return text(401, 'Open the address that the companion printed at its start.');
  const route = `${request.method} ${url.pathname}`;
  if (route === 'GET /style.css') return new Response(STYLE, { headers: { ...HEADERS, 'content-type': 'text/css' } });
  if (route === 'GET /') {
    const page = renderPage(await readPageData(companion), NOTES[url.searchParams.get('done') ?? '']);
    return new Response(page, { headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' } });
  }
  const action = Object.hasOwn(actions, route) ? actions[route] : undefined;
  if (!action) return text(404, 'There is no such page.');
  // The cookie is also sent by pages of other ports of this machine.
  if ((request.headers.get('sec-fetch-site') ?? 'same-origin') !== 'same-origin')
    return text(403, 'Only the page of the companion may send forms.');
  const form = await readForm(request);
  const decision = form.get('decision') === 'yes' ? 'yes' : 'no';
  await action(companion, (name) => form.get(name) ?? '', decision === 'yes');
  return new Response(null, { status: 303, headers: { ...HEADERS, location: `/?done=${decision}` } });
}

type Action = (companion: Companion, field: (name: string) => string, isApproved: boolean) => Promise<unknown>;

const actions: { readonly [route: string]: Action } = {
  'POST /sender': async ({ dispatcher, identities }, field, isApproved) => {
    const identity = { channel: field('channel'), sender: field('sender') };
    const requests = await identities.listRequests();
    if (!requests.some(({ channel, sender }) => channel === identity.channel && sender === identity.sender))
      throw alreadyDecided();
    await (isApproved ? dispatcher.approve(identity) : dispatcher.reject(identity));
  },
  'POST /answer': answerConfirmation,
  'POST /proposal': async ({ growth }, field, isApproved) => {
    const [userId, id] = [field('userId'), field('id')];
    await (isApproved ? growth.apply(userId, [id], 'page') : growth.dismiss(userId, [id]));
  },
};

/** Answers a confirmation. Then the conversation sends the next answers of the agent on its channel. */
async function answerConfirmation(
  { dispatcher, runner }: Companion,
  field: (name: string) => string,
  confirmed: boolean,
): Promise<void> {
  const [userId, sessionId, id] = [field('userId'), field('sessionId'), field('id')];
  const open = await runner.pendingInterrupts({ userId, sessionId });
  const interrupt = open.find((each) => each.id === id && each.kind === 'confirmation');
  if (!interrupt) throw alreadyDecided();
  const { invocationId } = interrupt;
  const run = runner.resume({ userId, sessionId, invocationId, answers: { [id]: { confirmed } }, answeredBy: 'page' });
  for await (const _ of run);
  for (const conversation of dispatcher.conversations)
    if (conversation.ref.sessionId === sessionId) conversation.resumeWaiting();
}

function alreadyDecided(): TholeError {
  return new TholeError('INTERRUPT_NOT_FOUND', 'This request was already decided. Refresh the page.');
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const length = Number(request.headers.get('content-length') ?? NaN);
  if (!(length <= MAX_BODY_BYTES)) throw new TholeError('INVALID_INPUT', 'The form is too large.');
  return new URLSearchParams(await request.text());
}

function readCookie(request: Request): string {
  const cookies = (request.headers.get('cookie') ?? '').split(/;\s*/);
  return cookies.find((each) => each.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}

function isSame(a: string, b: string): boolean {
  const hash = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function text(status: number, message: string): Response {
  return new Response(message, { status, headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' } });
}
