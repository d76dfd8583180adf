import { usageError } from '../options/usage-error.ts';
import type { Backend, OpenContext, OpenService } from './backend.ts';
import { databaseBackend } from './database-backend.ts';
import { folderBackend } from './folder-backend.ts';
import { agentEngineBackend, cloudStorageBackend, ragBackend } from './google-backend.ts';
import { inMemoryBackend } from './in-memory-backend.ts';
import { redisBackend } from './redis-backend.ts';
import { s3Backend } from './s3-backend.ts';
import { readServiceUri } from './service-uri.ts';

/** Backends by the scheme of their URIs. */
const backends: { readonly [scheme: string]: Backend } = {
  memory: inMemoryBackend,
  file: folderBackend,
  sqlite: databaseBackend,
  postgresql: databaseBackend,
  mysql: databaseBackend,
  redis: redisBackend,
  rediss: redisBackend,
  agentengine: agentEngineBackend,
  rag: ragBackend,
  gs: cloudStorageBackend,
  s3: s3Backend,
};

/** Returns the schemes that support a service, for help and errors. */
export function schemesOf(kind: keyof Backend): string {
  return Object.entries(backends)
    .flatMap(([scheme, backend]) => (backend[kind] ? `${scheme}://` : []))
    .join(', ');
}

/**
 * Opens the service of a URI and waits until its store answers. Throws a usage error for a scheme without this service.
 */
export async function openService<K extends keyof Backend>(
  kind: K,
  text: string,
  context: OpenContext,
): Promise<OpenedBy<K>> {
  const uri = readServiceUri(context.option, text);
  const open = Object.hasOwn(backends, uri.scheme) ? backends[uri.scheme]![kind] : undefined;
  if (!open) throw usageError(`${context.option} must be one of ${schemesOf(kind)}, got ${uri.scheme}://.`);
  const opened = (await open(uri, context)) as OpenedBy<K>;
  try {
    await opened.ping();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type OpenedBy<K extends keyof Backend> =
  NonNullable<Backend[K]> extends (...p: never[]) => Promise<OpenService<infer S>> ? OpenService<S> : never;
