import { invalidUri } from './uri/invalid-uri.ts';
import type { Backend, OpenContext, OpenService } from './backends/backend.ts';
import { databaseBackend } from './backends/database-backend.ts';
import { folderBackend } from './backends/folder-backend.ts';
import { agentEngineBackend, cloudStorageBackend, ragBackend } from './backends/google-backend.ts';
import { inMemoryBackend } from './backends/in-memory-backend.ts';
import { redisBackend } from './backends/redis-backend.ts';
import { s3Backend } from './backends/s3-backend.ts';
import { readServiceUri } from './uri/service-uri.ts';

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

/** Returns the schemes that support a kind of service, for help texts and errors. */
export function schemesOf(kind: keyof Backend): string {
  return Object.entries(backends)
    .flatMap(([scheme, backend]) => (backend[kind] ? `${scheme}://` : []))
    .join(', ');
}

/**
 * Opens the service of a URI and waits until its store answers. Throws `INVALID_INPUT` for an invalid URI and for a scheme
 * without this service, `DRIVER_MISSING` for a missing package, and `STORE_UNAVAILABLE` if the store does not answer.
 */
export async function openService<K extends keyof Backend>(
  kind: K,
  text: string,
  context: OpenContext,
): Promise<OpenedBy<K>> {
  const uri = readServiceUri(context.uriName, text, kind === 'artifacts' ? 'file://./artifacts' : undefined);
  const open = Object.hasOwn(backends, uri.scheme) ? backends[uri.scheme]![kind] : undefined;
  if (!open) throw invalidUri(`${context.uriName} must be one of ${schemesOf(kind)}, got ${uri.scheme}://.`);
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
