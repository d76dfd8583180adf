import { TholeError } from '@thole/core';
import { isResponse } from '../http/is-response.ts';
import { anyObject, listOf, ref } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import type { RecordedSpan, SpanOwner } from '../traces/recorded-span.ts';

const pathsOf = (path: string): [string, ...string[]] => [
  `/dev/apps/:app/debug/trace/${path}`,
  `/apps/:app/debug/trace/${path}`,
  `/debug/trace/${path}`,
];
const tag = 'traces';

// The paths have no user, so the app and user of each span are authorized.

/** Recorded spans of runs. */
export const traceRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: pathsOf('session/:session'), tag, access: 'body' },
    summary: 'Returns the finished spans of a session, including those of agents that ran as tools.',
    returns: listOf(ref('Span')),
    responses: { 200: 'A list of {name, span_id, trace_id, start_time, end_time, attributes, parent_span_id}' },
    async handle(call) {
      const spans = call.context.traces?.ofSession(call.params.session) ?? [];
      const readable = await filterReadable(call, spans);
      return Response.json(readable.filter(({ endTime }) => endTime !== undefined).map(wireSpan));
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: pathsOf(':event'), tag, access: 'body' },
    summary: 'Returns the attributes of the span that created an event, including the model request.',
    returns: anyObject,
    responses: { 200: 'Attributes', 404: 'No span was recorded' },
    async handle(call) {
      const recorded = call.context.traces?.ofEvent(call.params['event']!);
      const [span] = await filterReadable(call, recorded ? [recorded] : []);
      if (!span) throw new TholeError('NOT_FOUND', 'No span was recorded for this event.');
      return Response.json(span.attributes);
    },
  }),
];

/**
 * Returns the spans that the request may read. `authorize` is called for each app and user among them. If no span may be read, it
 * is called for the app without a user, so that the response does not reveal whether spans of other users exist.
 */
async function filterReadable(
  call: RouteCall<unknown, unknown>,
  spans: readonly RecordedSpan[],
): Promise<RecordedSpan[]> {
  const decisions = new Map<string, boolean>();
  const readable: RecordedSpan[] = [];
  for (const span of spans) {
    const { appName, userId } = span.owner;
    const key = JSON.stringify([appName, userId]);
    if (!decisions.has(key)) decisions.set(key, await mayRead(call, span.owner));
    if (decisions.get(key)) readable.push(span);
  }
  if (readable.length === 0) await call.authorize({ appName: call.params.app || undefined, action: 'read' });
  return readable;
}

async function mayRead(call: RouteCall<unknown, unknown>, { appName, userId }: SpanOwner): Promise<boolean> {
  const { context, params } = call;
  if (params.app !== '' && appName !== params.app) return false;
  // A span of an unknown user is readable only without `authorize`.
  if (context.hasAuthorize && (appName === undefined || userId === undefined)) return false;
  try {
    await call.authorize({ appName, userId, action: 'read' });
    return true;
  } catch (error) {
    if (isResponse(error) || TholeError.is(error, 'FORBIDDEN')) return false;
    throw error;
  }
}

function wireSpan(span: RecordedSpan): object {
  const { name, spanId, traceId, startTime, endTime, attributes, parentSpanId } = span;
  const times = { start_time: startTime, end_time: endTime };
  return { name, span_id: spanId, trace_id: traceId, ...times, attributes, parent_span_id: parentSpanId };
}
