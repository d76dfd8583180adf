import process from 'node:process';
import { systemRuntime } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import type { Backend } from './backends/backend.ts';
import { Connections } from './connections.ts';
import { openService } from './open-service.ts';

/** Options of `createSessionService`, `createMemoryService` and `createArtifactService`. */
export interface CreateServiceOptions {
  /** Base folder of relative paths in URIs. Default: the working directory. */
  cwd?: string | undefined;
  /** Name of the URI in error messages, such as the variable that contains it. Default: `uri`. */
  uriName?: string | undefined;
  /** Clock, ids, timers and logger of the service. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

const names = optionNames<CreateServiceOptions>({ cwd: true, uriName: true, runtime: true });

/** A service with a method that closes its connections. `close` may be called more than once. */
export type Closable<Service> = Service & { close(): Promise<void> };

/**
 * Creates the session service of a URI, such as `postgresql://user:password@host/database`, `redis://host:6379`,
 * `sqlite:///./sessions.db`, `agentengine://<id>` or `memory://`, and waits until its store answers. Throws
 * `INVALID_INPUT` for an invalid URI or an unsupported scheme, `DRIVER_MISSING` with the command that installs a missing
 * package, and `STORE_UNAVAILABLE` if the store does not answer. No message contains the URI.
 */
export function createSessionService(
  uri: string,
  options: CreateServiceOptions = {},
): Promise<Closable<SessionService>> {
  return create<SessionService>('sessions', uri, options, 'createSessionService');
}

/**
 * Creates the memory service of a URI: the schemes of `createSessionService`, and `rag://<corpus>`. Throws the same
 * errors.
 */
export function createMemoryService(uri: string, options: CreateServiceOptions = {}): Promise<Closable<MemoryService>> {
  return create<MemoryService>('memory', uri, options, 'createMemoryService');
}

/**
 * Creates the artifact service of a URI: databases, Redis, `memory://`, a folder (`file://./artifacts`), or a bucket
 * (`gs://bucket/prefix`, `s3://bucket/prefix`). Throws the same errors as `createSessionService`.
 */
export function createArtifactService(
  uri: string,
  options: CreateServiceOptions = {},
): Promise<Closable<ArtifactService>> {
  return create<ArtifactService>('artifacts', uri, options, 'createArtifactService');
}

async function create<Service extends object>(
  kind: keyof Backend,
  uri: string,
  options: CreateServiceOptions,
  caller: string,
): Promise<Closable<Service>> {
  rejectUnknownOptions(options, names, caller);
  const { cwd = process.cwd(), uriName = 'uri', runtime = systemRuntime() } = options;
  if (typeof cwd !== 'string') throw invalidInput('cwd', 'a folder', cwd);
  if (typeof uriName !== 'string') throw invalidInput('uriName', 'a string', uriName);
  if (typeof uri !== 'string') throw invalidInput(uriName, 'a URI', uri);
  const connections = new Connections();
  try {
    const opened = await openService(kind, uri, { cwd, runtime, connections, uriName });
    const close = async (): Promise<void> => {
      await opened.close();
      await connections.close();
    };
    return Object.assign(opened.service as unknown as Service, { close });
  } catch (error) {
    await connections.close();
    throw error;
  }
}
