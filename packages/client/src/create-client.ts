import type { Event } from '@thole/core';
import { path } from './request-path.ts';
import type { AppGraph, AppInfo, DotGraph, ServerVersion, TraceSpan } from './responses.ts';
import { artifactsClient } from './artifacts-client.ts';
import type { Client } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { Connection } from './connection.ts';
import { interruptsClient, toAnswerRun } from './interrupts-client.ts';
import { memoryClient } from './memory-client.ts';
import { idempotencyHeaders, toRunBody, RunReader } from './run-reader.ts';
import { sessionsClient } from './sessions-client.ts';

/** Returns a client of the server at `baseUrl`. It keeps a connection open only while a run is read. Throws `INVALID_INPUT` for wrong options. */
export function createClient(options: ClientOptions): Client {
  const connection = new Connection(options);
  const { requestJson, requestVoid } = connection;
  return {
    apps: {
      list: (call) => requestJson<string[]>('/list-apps', { call }),
      listDetailed: async (call) =>
        (await requestJson<{ apps: AppInfo[] }>('/list-apps', { call, query: { detailed: true } })).apps,
      info: async (p) => requestJson<AppInfo>(path`/apps/${p.appName}/app-info`, { call: p }),
    },
    sessions: sessionsClient(requestJson, requestVoid),
    interrupts: interruptsClient(requestJson),
    artifacts: artifactsClient(requestJson, requestVoid),
    memory: memoryClient(requestJson, requestVoid),
    traces: {
      ofSession: async (p) =>
        requestJson<TraceSpan[]>(path`/dev/apps/${p.appName}/debug/trace/session/${p.sessionId}`, { call: p }),
      ofEvent: async (p) => requestJson(path`/dev/apps/${p.appName}/debug/trace/${p.eventId}`, { call: p }),
    },
    graphs: {
      ofApp: async (p) => requestJson<AppGraph>(path`/dev/apps/${p.appName}/build_graph`, { call: p }),
      dot: async (p) =>
        requestJson<DotGraph>(path`/dev/apps/${p.appName}/build_graph_image`, {
          call: p,
          query: { dark_mode: p.darkMode, node: p.node },
        }),
      ofEvent: async (p) =>
        requestJson<DotGraph>(
          path`/dev/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}/events/${p.eventId}/graph`,
          { call: p, query: { dark_mode: p.darkMode } },
        ),
    },
    run: (request) => new RunReader(connection, request, toRunBody(request)),
    answer(request) {
      const run = toAnswerRun(request);
      return new RunReader(connection, run, toRunBody(run));
    },
    resume: (request) => new RunReader(connection, request),
    runToCompletion: async (p) =>
      requestJson<Event[]>('/run', {
        call: { ...p, timeoutMs: p.timeoutMs ?? 600_000 },
        body: toRunBody(p),
        headers: idempotencyHeaders(connection.runtime, p),
      }),
    health: (call) => requestVoid('/health', { call }),
    version: (call) => requestJson<ServerVersion>('/version', { call }),
  };
}
