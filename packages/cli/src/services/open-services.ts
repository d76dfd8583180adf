import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import type { ServiceOptions } from '../options/service-options.ts';
import type { OpenService } from './backend.ts';
import { openService } from './backends.ts';
import { Connections } from './connections.ts';
import { readServiceUri, urlOfSqliteFile } from './service-uri.ts';

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
 * Opens what the options name, each once its store answers. Left out, all is kept below `.thole` in `cwd`: sessions in
 * `sessions.db`, memory in `memory.db`, artifacts in `artifacts`; the last two in this process where sessions are.
 */
export async function openServices(
  options: ServiceOptions,
  { cwd, runtime }: { cwd: string; runtime: Runtime },
): Promise<{ services: Services; close(): Promise<void> }> {
  const connections = new Connections();
  const opened: OpenService<unknown>[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()));
    await connections.close();
  };
  const keep = <S>(one: OpenService<S>): S => {
    opened.push(one);
    return one.service;
  };
  const context = (option: string) => ({ cwd, runtime, connections, option });
  const sessions = options.sessionServiceUri ?? fileBelow(cwd, 'sessions.db');
  const besides = placesBeside(sessions, cwd);
  const artifacts = options.artifactServiceUri ?? besides.artifacts;
  const memory = options.memoryServiceUri ?? besides.memory;
  try {
    const services = {
      sessionService: keep(await openService('sessions', sessions, context('--session_service_uri'))),
      artifactService: keep(await openService('artifacts', artifacts, context('--artifact_service_uri'))),
      memoryService: keep(await openService('memory', memory, context('--memory_service_uri'))),
    };
    return { services, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where artifacts and memory are that nobody has named a place for. */
function placesBeside(sessions: string, cwd: string): { artifacts: string; memory: string } {
  const { scheme } = readServiceUri('--session_service_uri', sessions);
  if (scheme === 'memory') return { artifacts: 'memory://', memory: 'memory://' };
  return { artifacts: pathToFileURL(join(cwd, '.thole', 'artifacts')).href, memory: fileBelow(cwd, 'memory.db') };
}

function fileBelow(cwd: string, name: string): string {
  return urlOfSqliteFile(join(cwd, '.thole', name));
}
