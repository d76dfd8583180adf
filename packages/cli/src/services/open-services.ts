import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import type { ServiceOptions } from '../options/service-options.ts';
import { artifactServices } from './artifact-services.ts';
import { memoryServices } from './memory-services.ts';
import type { OpenService, ServiceTable } from './service-table.ts';
import { openService } from './service-table.ts';
import { readServiceUri, urlOfSqliteFile } from './service-uri.ts';
import { sessionServices } from './session-services.ts';

/** What apps run on. */
export interface Services {
  sessionService: SessionService;
  artifactService: ArtifactService;
  memoryService: MemoryService;
}

/** Services that are opened when somebody first asks for them: a runner that brings its own needs none. */
export interface ServicesOnDemand {
  get(): Promise<Services>;
  close(): Promise<void>;
}

/** What `openServices` opens, once, at the first `get`. */
export function servicesOnDemand(
  options: ServiceOptions,
  context: { cwd: string; runtime: Runtime },
): ServicesOnDemand {
  let opening: ReturnType<typeof openServices> | undefined;
  return {
    get: async () => (await (opening ??= openServices(options, context))).services,
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/**
 * Opens what the options name, each once its store answers. Left out, sessions are in `.thole/sessions.db` and artifacts in
 * `.thole/artifacts` below `cwd` (in this process where sessions are), and memory in this process.
 */
export async function openServices(
  options: ServiceOptions,
  { cwd, runtime }: { cwd: string; runtime: Runtime },
): Promise<{ services: Services; close(): Promise<void> }> {
  const opened: OpenService<unknown>[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()));
  };
  const open = async <S>(table: ServiceTable<S>, option: string, uri: string): Promise<S> => {
    const one = await openService(table, uri, { cwd, runtime, option });
    opened.push(one);
    return one.service;
  };
  const sessions = options.sessionServiceUri ?? urlOfSqliteFile(join(cwd, '.thole', 'sessions.db'));
  const artifacts = options.artifactServiceUri ?? artifactsBeside(sessions, cwd);
  try {
    const services = {
      sessionService: await open(sessionServices, '--session_service_uri', sessions),
      artifactService: await open(artifactServices, '--artifact_service_uri', artifacts),
      memoryService: await open(memoryServices, '--memory_service_uri', options.memoryServiceUri ?? 'memory://'),
    };
    return { services, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function artifactsBeside(sessions: string, cwd: string): string {
  const { scheme } = readServiceUri('--session_service_uri', sessions);
  return scheme === 'memory' ? 'memory://' : pathToFileURL(join(cwd, '.thole', 'artifacts')).href;
}
