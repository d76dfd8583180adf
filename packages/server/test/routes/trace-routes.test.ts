import { TholeError } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool, jsonSchema } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { bearerToken, createHandler, SpanMemory } from '../../src/index.ts';
import type { Handler, HandlerOptions } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { demo, message } from '../demo.ts';

const prefixes = ['/dev/apps/demo/debug/trace', '/apps/demo/debug/trace', '/debug/trace'];

describe('GET /debug/trace', () => {
  it('returns model requests and tool answers by event id', async () => {
    const look = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      parameters: jsonSchema({ type: 'object', properties: {} }),
      execute: () => ({ seen: 'figs' }),
    });
    const rootAgent = new LlmAgent({
      name: 'concierge',
      model: new ScriptedLlm(calls('look', {}), says('Figs.')),
      tools: [look],
    });
    const { handler } = await demo({ rootAgent, traces: new SpanMemory(), runtime: new FixedRuntime() });
    const events = (await ask(handler, 'POST', '/run', message())).body;
    for (const prefix of prefixes) {
      const [called, answered, said] = await Promise.all(
        events.map(async ({ id }: { id: string }) => (await ask(handler, 'GET', `${prefix}/${id}`)).body),
      );
      expect(JSON.parse(called['gcp.vertex.agent.llm_request']).contents[0].parts).toEqual([{ text: 'Hello' }]);
      expect(JSON.parse(answered['gcp.vertex.agent.tool_response'])).toEqual({ seen: 'figs' });
      expect(JSON.parse(said['gcp.vertex.agent.llm_response']).content.parts).toEqual([{ text: 'Figs.' }]);
      expect((await ask(handler, 'GET', `${prefix}/unknown`)).status).toBe(404);
    }
  });

  it('lists the spans of a session as ADK’s web UI expects them', async () => {
    const runtime = new FixedRuntime();
    const { handler } = await demo({ answers: [says('Hello')], traces: new SpanMemory({ runtime }), runtime });
    await ask(handler, 'POST', '/run', message());
    for (const prefix of prefixes) {
      const spans = (await ask(handler, 'GET', `${prefix}/session/s`)).body;
      expect(spans.length).toBeGreaterThanOrEqual(3);
      for (const span of spans) {
        expect(span).toMatchObject({
          name: expect.any(String),
          span_id: expect.any(String),
          trace_id: spans[0].trace_id,
        });
        expect([span.start_time, span.end_time]).toEqual([1_700_000_000_000_000_000, 1_700_000_000_000_000_000]);
        expect(span.attributes).toMatchObject({
          'gen_ai.conversation.id': 's',
          'gcp.vertex.agent.invocation_id': expect.any(String),
        });
      }
      const ids = spans.map((each: { span_id: string }) => each.span_id);
      expect(spans.slice(1).every((each: { parent_span_id: string }) => ids.includes(each.parent_span_id))).toBe(true);
      expect((await ask(handler, 'GET', `${prefix}/session/unknown`)).body).toEqual([]);
    }
  });

  it('leaves out open spans', async () => {
    const traces = new SpanMemory();
    traces.start('invocation', { 'gen_ai.workflow.name': 'demo', 'gen_ai.conversation.id': 's' });
    const { handler } = await demo({ traces });
    expect((await ask(handler, 'GET', '/apps/demo/debug/trace/session/s')).body).toEqual([]);
  });

  it('returns nothing without traces and for another app', async () => {
    const without = await demo();
    expect((await ask(without.handler, 'GET', '/debug/trace/e')).status).toBe(404);
    expect((await ask(without.handler, 'GET', '/debug/trace/session/s')).body).toEqual([]);
    const { handler } = withAuthorize();
    expect((await ask(handler, 'GET', '/apps/other/debug/trace/ann-event')).status).toBe(404);
    expect((await ask(handler, 'GET', '/apps/other/debug/trace/session/s')).body).toEqual([]);
  });

  const isAnn: HandlerOptions['authorize'] = (_, { userId }) => userId === undefined || userId === 'ann';

  it('shows spans only to clients that may act for their user (contract 39)', async () => {
    const { handler, identities } = withAuthorize(isAnn);
    expect((await ask(handler, 'GET', '/debug/trace/ann-event')).body['user.id']).toBe('ann');
    expect(identities).toEqual([{ appName: 'demo', userId: 'ann', action: 'read' }]);
    const unknown = await ask(handler, 'GET', '/debug/trace/unknown');
    for (const event of ['bob-event', 'nobody-event'])
      expect(await ask(handler, 'GET', `/debug/trace/${event}`)).toEqual({ ...unknown, headers: expect.anything() });
    const spans = (await ask(handler, 'GET', '/debug/trace/session/s')).body;
    expect(spans.map((each: { name: string }) => each.name)).toEqual(['ann']);
  });

  it('does not show the spans of a run to other users', async () => {
    let me = 'ann';
    const authorize: HandlerOptions['authorize'] = (_, { userId }) => userId === undefined || userId === me;
    const { handler } = await demo({ answers: [says('Hello')], traces: new SpanMemory(), authorize });
    const [event] = (await ask(handler, 'POST', '/run', message())).body;
    const path = `/debug/trace/${event.id}`;
    expect((await ask(handler, 'GET', path)).body).toHaveProperty(['gcp.vertex.agent.llm_request']);
    expect((await ask(handler, 'GET', '/debug/trace/session/s')).body.length).toBeGreaterThanOrEqual(3);
    me = 'bob';
    expect((await ask(handler, 'GET', path)).status).toBe(404);
    expect((await ask(handler, 'GET', '/debug/trace/session/s')).body).toEqual([]);
  });

  it('hides spans also if authorize returns Responses', async () => {
    const lenient = withAuthorize(
      (_, { userId }) => userId === undefined || userId === 'ann' || new Response('no', { status: 402 }),
    );
    expect((await ask(lenient.handler, 'GET', '/debug/trace/bob-event')).status).toBe(404);
    const { handler } = withAuthorize((_, { userId }) =>
      userId === 'ann' ? true : new Response('no', { status: 402 }),
    );
    const statuses = [];
    for (const event of ['ann-event', 'bob-event', 'unknown'])
      statuses.push((await ask(handler, 'GET', `/debug/trace/${event}`)).status);
    expect(statuses).toEqual([200, 402, 402]);
  });

  it('answers 401 without the token, also if there are no spans', async () => {
    const { handler } = withAuthorize(bearerToken('secret'));
    for (const path of ['ann-event', 'bob-event', 'unknown', 'session/s', 'session/unknown'])
      expect((await ask(handler, 'GET', `/debug/trace/${path}`)).status).toBe(401);
  });

  it('answers with the error that authorize throws', async () => {
    const { handler } = withAuthorize(() => {
      throw new TholeError('RATE_LIMITED', 'Slowly.');
    });
    expect((await ask(handler, 'GET', '/debug/trace/ann-event')).status).toBe(429);
  });
});

/** Returns a handler with spans of one session id: of ann, of bob, and of no user. */
function withAuthorize(authorize?: HandlerOptions['authorize']): { handler: Handler; identities: unknown[] } {
  const traces = new SpanMemory();
  for (const name of ['ann', 'bob', 'nobody']) {
    const user = name === 'nobody' ? {} : { 'user.id': name };
    const ids = { 'gen_ai.conversation.id': 's', 'gcp.vertex.agent.event_id': `${name}-event` };
    traces.start(name, { 'gen_ai.workflow.name': 'demo', ...user, ...ids }).end();
  }
  const identities: unknown[] = [];
  const rootAgent = new LlmAgent({ name: 'concierge', model: new ScriptedLlm() });
  const handler = createHandler({
    apps: [{ name: 'demo', rootAgent }],
    sessionService: new InMemorySessionService(),
    traces,
    authorize:
      authorize &&
      ((request, identity) => {
        identities.push(identity);
        return authorize(request, identity);
      }),
  });
  return { handler, identities };
}
