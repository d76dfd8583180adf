import type { Event } from '@thole/core';
import { at } from './address.ts';
import type { AppGraph, AppInfo, DotGraph, ServerVersion, TraceSpan } from './answers.ts';
import { artifactsClient } from './artifacts-client.ts';
import type { Client } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { Connection } from './connection.ts';
import { memoryClient } from './memory-client.ts';
import { bodyOf, RunReader } from './run-reader.ts';
import { sessionsClient } from './sessions-client.ts';

/** A client of the server at `baseUrl`. It holds nothing open but what is being read. */
export function createClient(options: ClientOptions): Client {
  const connection = new Connection(options);
  const { ask, tell } = connection;
  return {
    apps: {
      list: (call) => ask<string[]>('/list-apps', { call }),
      listDetailed: async (call) =>
        (await ask<{ apps: AppInfo[] }>('/list-apps', { call, query: { detailed: true } })).apps,
      info: async (p) => ask<AppInfo>(at`/apps/${p.appName}/app-info`, { call: p }),
    },
    sessions: sessionsClient(ask, tell),
    artifacts: artifactsClient(ask, tell),
    memory: memoryClient(ask, tell),
    traces: {
      ofSession: async (p) =>
        ask<TraceSpan[]>(at`/dev/apps/${p.appName}/debug/trace/session/${p.sessionId}`, { call: p }),
      ofEvent: async (p) => ask(at`/dev/apps/${p.appName}/debug/trace/${p.eventId}`, { call: p }),
    },
    graphs: {
      ofApp: async (p) => ask<AppGraph>(at`/dev/apps/${p.appName}/build_graph`, { call: p }),
      dot: async (p) =>
        ask<DotGraph>(at`/dev/apps/${p.appName}/build_graph_image`, {
          call: p,
          query: { dark_mode: p.darkMode, node: p.node },
        }),
      ofEvent: async (p) =>
        ask<DotGraph>(at`/dev/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}/events/${p.eventId}/graph`, {
          call: p,
          query: { dark_mode: p.darkMode },
        }),
    },
    run: (request) => new RunReader(connection, request, bodyOf(request)),
    resume: (request) => new RunReader(connection, request),
    runToCompletion: async (p) =>
      ask<Event[]>('/run', { call: { ...p, timeoutMs: p.timeoutMs ?? 600_000 }, body: bodyOf(p) }),
    health: (call) => tell('/health', { call }),
    version: (call) => ask<ServerVersion>('/version', { call }),
  };
}
