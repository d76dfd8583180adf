import { context, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { MemoryService, Runtime, SessionService } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import {
  artifactServiceCases,
  calls,
  FixedRuntime,
  memoryAbilities,
  memoryServiceCases,
  register,
  says,
  ScriptedLlm,
  sessionServiceCases,
} from '@thole/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTelemetryTracer, traceArtifacts, traceMemory, traceSessions } from '../../src/otel/index.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const exporter = new InMemorySpanExporter();
const user = { appName: 'app', userId: 'ann' };

beforeEach(() => {
  exporter.reset();
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => {
  trace.disable();
  context.disable();
});

const tracing = (runtime: Runtime, captureContent: boolean = false): Pick<Runtime, 'tracer' | 'logger'> => ({
  tracer: openTelemetryTracer({ captureContent }),
  logger: runtime.logger,
});

// The traced services pass the complete suites.
register({ describe, it }, sessionServiceCases, {
  name: 'traceSessions',
  create: (runtime) => traceSessions(new InMemorySessionService({ runtime }), tracing(runtime)),
});
register({ describe, it }, artifactServiceCases, {
  name: 'traceArtifacts',
  create: (runtime) => traceArtifacts(new InMemoryArtifactService({ runtime, maxBytes: 65_536 }), tracing(runtime)),
});
register({ describe, it }, memoryServiceCases, {
  name: 'traceMemory',
  claims: memoryAbilities,
  create: (runtime) => traceMemory(new InMemoryMemoryService({ runtime }), tracing(runtime)),
});

function spanNamed(name: string): ReadableSpan {
  return exporter.getFinishedSpans().find((span) => span.name === name)!;
}

/** Returns each finished span with the name of its parent. */
function parents(): [string, string | undefined][] {
  const spans = exporter.getFinishedSpans();
  const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext }) => [name, parentSpanContext && nameOf.get(parentSpanContext.spanId)]);
}

describe('traceSessions', () => {
  it('exports the calls of a run below its invocation, with the ids of session and event', async () => {
    const runtime = new FixedRuntime({ tracer: openTelemetryTracer() });
    const sessionService = traceSessions(new InMemorySessionService({ runtime }), runtime);
    await sessionService.createSession(ref);
    const runner = new Runner({
      appName: 'app',
      agent: rootOf(new ScriptedLlm(says('Hello.'))),
      sessionService,
      runtime,
    });
    const { events } = await runner.runToCompletion(hello);
    expect(parents()).toEqual(
      expect.arrayContaining([
        ['create_session', undefined],
        ['get_session', 'invocation'],
        ['append_event', 'invocation'],
      ]),
    );
    const appended = exporter.getFinishedSpans().filter(({ name }) => name === 'append_event');
    expect(appended).toHaveLength(2);
    expect(appended[1]!.attributes).toEqual({
      'thole.store.name': 'session',
      'thole.store.operation': 'append_event',
      'thole.event.id': events[0]!.id,
      'gen_ai.conversation.id': ref.sessionId,
    });
    expect(appended[1]!.kind).toBe(SpanKind.INTERNAL);
  });

  it('keeps leases, watchers and other members of the service', async () => {
    const runtime = new FixedRuntime();
    const service = new InMemorySessionService({ runtime });
    const traced = traceSessions(service, tracing(runtime));
    expect(traced.leasing).toBe(service.leasing);
    expect(traced.watching).toBe(service.watching);
    expect(traced).toBeInstanceOf(InMemorySessionService);
    expect(traced.getSession).toBe(traced.getSession);
    expect('insertSession' in traced).toBe('insertSession' in service);
    const bare: SessionService = Object.freeze({ ...bareService, isDurable: true });
    const tracedBare = traceSessions(bare, tracing(runtime));
    expect(tracedBare.isDurable).toBe(true);
    expect(await tracedBare.getSession(ref)).toBe(undefined);
    expect(spanNamed('get_session').attributes['thole.store.record.count']).toBe(0);
    expect([tracedBare.leasing, tracedBare.listWaitingSessions, 'leasing' in tracedBare]).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });

  it('records the code of an error, but no message of errors of other libraries', async () => {
    const runtime = new FixedRuntime();
    const failing = (error: Error): SessionService => ({ ...bareService, getSession: () => Promise.reject(error) });
    const secret = new TypeError('p4ssw0rd');
    await expect(traceSessions(failing(secret), tracing(runtime)).getSession(ref)).rejects.toBe(secret);
    const { attributes, events } = spanNamed('get_session');
    expect(attributes['error.type']).toBe('TypeError');
    expect(JSON.stringify(events)).not.toContain('p4ssw0rd');
  });

  it('returns the service itself for a silent tracer', () => {
    const runtime = new FixedRuntime();
    const service = new InMemorySessionService({ runtime });
    expect(traceSessions(service, runtime)).toBe(service);
  });

  it('passes a call on if its tracer fails or its request is missing', async () => {
    const warnings: string[] = [];
    const logger = { ...new FixedRuntime().logger, warn: (message: string) => void warnings.push(message) };
    const start = (): never => {
      throw new Error('No.');
    };
    const traced = traceSessions(new InMemorySessionService(), { tracer: { start }, logger });
    expect(await traced.createSession(ref)).toMatchObject({ id: ref.sessionId });
    expect(warnings).toEqual(['A tracer failed.']);
    const request = undefined as never;
    await expect(traceSessions(bareService, tracing(new FixedRuntime())).getSession(request)).resolves.toBe(undefined);
  });
});

describe('traceArtifacts', () => {
  it('exports the calls of a tool below it, with file names only in captured content', async () => {
    for (const captureContent of [false, true]) {
      exporter.reset();
      const runtime = new FixedRuntime({ tracer: openTelemetryTracer({ captureContent }) });
      const sessionService = new InMemorySessionService({ runtime });
      await sessionService.createSession(ref);
      const tool = toolOf('draw', (_, toolContext) => toolContext.saveArtifact('ann.txt', { text: 'Hi.' }));
      const agent = rootOf(new ScriptedLlm(calls('draw'), says('Done.')), { tools: [tool] });
      const artifactService = traceArtifacts(new InMemoryArtifactService({ runtime }), runtime);
      await new Runner({ appName: 'app', agent, sessionService, artifactService, runtime }).runToCompletion(hello);
      expect(parents()).toContainEqual(['save_artifact', 'execute_tool draw']);
      expect(spanNamed('save_artifact').attributes).toEqual({
        'thole.store.name': 'artifact',
        'thole.store.operation': 'save_artifact',
        'thole.artifact.version': 0,
        'gen_ai.conversation.id': ref.sessionId,
        ...(captureContent && { 'thole.artifact.filename': 'ann.txt' }),
      });
    }
  });
});

describe('traceMemory', () => {
  it('records every operation of the conventions, as INTERNAL and with counts', async () => {
    const runtime = new FixedRuntime();
    const memory = traceMemory(new InMemoryMemoryService({ runtime }), tracing(runtime));
    const sessions = new InMemorySessionService({ runtime });
    await memory.addSessionToMemory(await sessions.createSession(ref));
    const entry = { kind: 'note' as const, timestamp: 1, content: { parts: [{ text: 'Likes tea.' }] } };
    const [added] = await memory.addMemory!({ ...user, memories: [entry] });
    await memory.addMemory!({ ...user, memories: [{ ...entry, id: 'snow' }] });
    await memory.searchMemory({ ...user, query: 'tea' });
    await memory.updateMemory!({ ...user, id: added!.id, change: { content: { parts: [{ text: 'Likes mint.' }] } } });
    await memory.updateMemory!({ ...user, id: 'unknown', change: { author: 'ann' } });
    await memory.deleteMemory!({ ...user, ids: ['snow'] });
    await memory.deleteUserMemory!(user);
    const seen = exporter
      .getFinishedSpans()
      .map(({ name, attributes }) => [
        name,
        attributes['gen_ai.operation.name'] === name,
        attributes['gen_ai.memory.record.id'],
        attributes['gen_ai.memory.record.count'],
      ]);
    expect(seen).toEqual([
      ['upsert_memory', true, undefined, undefined],
      ['create_memory', true, undefined, 1],
      ['upsert_memory', true, 'snow', 1],
      ['search_memory', true, undefined, 2],
      ['update_memory', true, added!.id, 1],
      ['update_memory', true, 'unknown', 0],
      ['delete_memory', true, 'snow', 1],
      ['delete_memory', true, undefined, 1],
    ]);
    expect(exporter.getFinishedSpans().every(({ kind }) => kind === SpanKind.INTERNAL)).toBe(true);
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))).not.toMatch(/tea|mint/);
  });

  it('records queries and records if content is captured', async () => {
    const runtime = new FixedRuntime();
    const memory = traceMemory(new InMemoryMemoryService({ runtime }), tracing(runtime, true));
    await memory.addMemory!({ ...user, memory: 'Likes tea.' });
    await memory.searchMemory({ ...user, query: 'tea' });
    expect(spanNamed('search_memory').attributes['gen_ai.memory.query.text']).toBe('tea');
    const records = JSON.parse(spanNamed('search_memory').attributes['gen_ai.memory.records'] as string) as unknown[];
    expect(records).toMatchObject([
      { content: { parts: [{ text: 'Likes tea.' }] }, score: expect.any(Number) as number },
    ]);
  });

  it('adds no second span to a call of a run, and one to a call of the runner', async () => {
    const runtime = new FixedRuntime({ tracer: openTelemetryTracer() });
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const memoryService: MemoryService = traceMemory(new InMemoryMemoryService({ runtime }), runtime);
    const tool = toolOf('look', (_, toolContext) => toolContext.searchMemory('tea'));
    const agent = rootOf(new ScriptedLlm(calls('look'), says('Done.')), { tools: [tool] });
    const runner = new Runner({ appName: 'app', agent, sessionService, memoryService, runtime });
    await runner.runToCompletion(hello);
    const memorySpans = (): unknown[] => parents().filter(([name]) => name.endsWith('_memory'));
    expect(memorySpans()).toEqual([['search_memory', 'execute_tool look']]);
    expect(spanNamed('search_memory').attributes['gen_ai.agent.name']).toBe('root');
    await runner.deleteUserData({ userId: ref.userId });
    expect(memorySpans()).toEqual([
      ['search_memory', 'execute_tool look'],
      ['delete_memory', undefined],
    ]);
  });
});

/** A session service without optional abilities. */
const bareService: SessionService = {
  createSession: () => Promise.reject(new Error('Not needed.')),
  getSession: () => Promise.resolve(undefined),
  listSessions: () => Promise.resolve({ sessions: [], total: 0 }),
  deleteSession: () => Promise.resolve(false),
  appendEvent: ({ event }) => Promise.resolve(event),
  updateState: () => Promise.reject(new Error('Not needed.')),
  getUserState: () => Promise.resolve({}),
  deleteUserData: () => Promise.resolve(),
};
