import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import { Connections, openService, readServiceUri, urlOfSqliteFile } from '@thole/services/kit';
import type { OpenService } from '@thole/services/kit';
import type { ServiceOptions } from '../options/service-options.ts';
import { withUsageErrors } from '../options/usage-error.ts';

/** The services of apps. */
export interface Services {
  sessionService: SessionService;
  artifactService: ArtifactService;
  memoryService: MemoryService;
}

/** Services that are opened at the first `get`, because a runner with its own services does not need them. */
export interface ServicesOnDemand {
  get(): Promise<Services>;
  close(): Promise<void>;
}

/** Returns services that are opened at the first `get`. */
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
 * Opens the services of the options and waits until their databases respond. By default everything is below `.thole` in `cwd`:
 * sessions in `sessions.db`, memory in `memory.db`, artifacts in `artifacts`. If sessions are in memory, memory and artifacts are
 * in memory too.
 */
export function openServices(
  options: ServiceOptions,
  context: { cwd: string; runtime: Runtime },
): Promise<{ services: Services; close(): Promise<void> }> {
  return withUsageErrors(() => openAll(options, context));
}

async function openAll(
  options: ServiceOptions,
  { cwd, runtime }: { cwd: string; runtime: Runtime },
): Promise<{ services: Services; close(): Promise<void> }> {
  const connections = new Connections();
  const opened: OpenService<unknown>[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()));
    await connections.close();
  };
  const add = <S>(open: OpenService<S>): S => {
    opened.push(open);
    return open.service;
  };
  const context = (uriName: string) => ({ cwd, runtime, connections, uriName });
  const sessions = options.sessionServiceUri ?? sqliteUrlIn(cwd, 'sessions.db');
  const defaults = defaultUris(sessions, cwd);
  const artifacts = options.artifactServiceUri ?? defaults.artifacts;
  const memory = options.memoryServiceUri ?? defaults.memory;
  const defaultPaths = [sqliteUrlIn(cwd, 'sessions.db'), defaults.artifacts, defaults.memory];
  if ([sessions, artifacts, memory].some((uri) => uri !== 'memory://' && defaultPaths.includes(uri)))
    await createPrivateFolder(join(cwd, '.thole'));
  try {
    const services = {
      sessionService: add(await openService('sessions', sessions, context('--session_service_uri'))),
      artifactService: add(await openService('artifacts', artifacts, context('--artifact_service_uri'))),
      memoryService: add(await openService('memory', memory, context('--memory_service_uri'))),
    };
    return { services, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates a folder that other users of this machine cannot read. If this fails, the services report the error. */
async function createPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => undefined);
}

/** Returns the default URIs of artifacts and memory. */
function defaultUris(sessions: string, cwd: string): { artifacts: string; memory: string } {
  const { scheme } = readServiceUri('--session_service_uri', sessions);
  if (scheme === 'memory') return { artifacts: 'memory://', memory: 'memory://' };
  return { artifacts: pathToFileURL(join(cwd, '.thole', 'artifacts')).href, memory: sqliteUrlIn(cwd, 'memory.db') };
}

function sqliteUrlIn(cwd: string, name: string): string {
  return urlOfSqliteFile(join(cwd, '.thole', name));
}
