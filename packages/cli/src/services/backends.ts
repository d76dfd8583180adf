import { usageError } from '../options/usage-error.ts';
import type { Backend, Open, OpenContext, OpenService } from './backend.ts';
import { databaseBackend } from './database-backend.ts';
import { folderBackend } from './folder-backend.ts';
import { inMemoryBackend } from './in-memory-backend.ts';
import { redisBackend } from './redis-backend.ts';
import { readServiceUri } from './service-uri.ts';

/** Where services are kept, by the scheme of their URIs: another place is one more line. */
const backends: { readonly [scheme: string]: Backend } = {
  memory: inMemoryBackend,
  file: folderBackend,
  sqlite: databaseBackend,
  postgresql: databaseBackend,
  mysql: databaseBackend,
  redis: redisBackend,
  rediss: redisBackend,
};

/** The schemes of the places that keep this, for help and errors. */
export function schemesOf(kind: keyof Backend): string {
  return Object.entries(backends)
    .flatMap(([scheme, backend]) => (backend[kind] ? `${scheme}://` : []))
    .join(', ');
}

/** Opens the service that a URI names, once its store answers; a usage error where that place does not keep it. */
export async function openService<K extends keyof Backend>(
  kind: K,
  text: string,
  context: OpenContext,
): Promise<OpenedBy<K>> {
  const uri = readServiceUri(context.option, text);
  const open = Object.hasOwn(backends, uri.scheme) ? backends[uri.scheme]![kind] : undefined;
  if (!open) throw usageError(`${context.option} cannot be ${uri.scheme}://; it takes ${schemesOf(kind)}.`);
  const opened = (await open(uri, context)) as OpenedBy<K>;
  try {
    await opened.ping();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type OpenedBy<K extends keyof Backend> = NonNullable<Backend[K]> extends Open<infer S> ? OpenService<S> : never;
