import { TholeError } from '@thole/core';
import { isResponse } from '../http/is-response.ts';
import { anyObject, listOf, ref } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import type { KeptSpan, SpanOwner } from '../traces/kept-span.ts';

const each = (path: string): [string, ...string[]] => [
  `/dev/apps/:app/debug/trace/${path}`,
  `/apps/:app/debug/trace/${path}`,
  `/debug/trace/${path}`,
];
const tag = 'traces';

// The paths name no user: it is asked about the span's.

/** What was recorded of runs. */
export const traceRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: each('session/:session'), tag, access: 'body' },
    summary: 'The spans of a session that have ended, and of what ran within its runs.',
    returns: listOf(ref('Span')),
    answers: { 200: 'A list of {name, span_id, trace_id, start_time, end_time, attributes, parent_span_id}' },
    async handle(call) {
      const spans = call.house.traces?.ofSession(call.names.session) ?? [];
      const readable = await readableIn(call, spans);
      return Response.json(readable.filter(({ endTime }) => endTime !== undefined).map(wireSpan));
    },
  }),
  route({
    ...{ method: 'GET', paths: each(':event'), tag, access: 'body' },
    summary: 'The attributes of the span that an event came from, with the request that the model saw.',
    returns: anyObject,
    answers: { 200: 'Attributes', 404: 'Nothing was recorded' },
    async handle(call) {
      const found = call.house.traces?.ofEvent(call.names['event']!);
      const [span] = await readableIn(call, found ? [found] : []);
      if (!span) throw new TholeError('NOT_FOUND', 'Nothing was recorded of this event.');
      return Response.json(span.attributes);
    },
  }),
];

/**
 * The spans that the request may read: `authorize` is asked for each app and user among them. Nothing tells what is not there from
 * what is another's: where nothing may be read, it is asked about the app alone.
 */
async function readableIn(call: RouteCall<unknown, unknown>, spans: readonly KeptSpan[]): Promise<KeptSpan[]> {
  const asked = new Map<string, boolean>();
  const readable: KeptSpan[] = [];
  for (const span of spans) {
    const { appName, userId } = span.owner;
    const key = JSON.stringify([appName, userId]);
    if (!asked.has(key)) asked.set(key, await mayRead(call, span.owner));
    if (asked.get(key)) readable.push(span);
  }
  if (readable.length === 0) await call.permit({ appName: call.names.app || undefined });
  return readable;
}

async function mayRead(call: RouteCall<unknown, unknown>, { appName, userId }: SpanOwner): Promise<boolean> {
  const { house, names } = call;
  if (names.app !== '' && appName !== names.app) return false;
  // Whose it is nobody knows: for nobody, where somebody asks.
  if (house.guarded && (appName === undefined || userId === undefined)) return false;
  try {
    await call.permit({ appName, userId });
    return true;
  } catch (error) {
    if (isResponse(error) || TholeError.is(error, 'FORBIDDEN')) return false;
    throw error;
  }
}

function wireSpan(span: KeptSpan): object {
  const { name, spanId, traceId, startTime, endTime, attributes, parentSpanId } = span;
  const times = { start_time: startTime, end_time: endTime };
  return { name, span_id: spanId, trace_id: traceId, ...times, attributes, parent_span_id: parentSpanId };
}
