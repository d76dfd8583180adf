import { TholeError } from '@thole/core';
import type { Embedder, EnvVars, MemoryService, Runtime } from '@thole/core';
import { VectorMemoryService } from '@thole/mem-services';
import { DatabaseMemoryService, PgVectorStore, SqliteVecStore, SqlMemoryStore } from '@thole/sql-services';
import type { MemoryConfig } from '../config/companion-config.ts';

/** A memory service, and the function that closes it and its connections. */
export interface OpenedMemory {
  service: MemoryService;
  close: () => Promise<void>;
}

/** Variable with the URL of the PostgreSQL database that stores vectors. */
const VECTOR_URL = 'COMPANION_VECTOR_URL';

/**
 * Opens memory in a SQLite file. With an embedder, entries are ranked by words and by vectors. The entries are the same with every
 * embedder and vector store, so a change of these settings loses no entry. Missing vectors are computed again.
 */
export function openMemory(
  { vectorStore }: MemoryConfig,
  p: { dbUrl: string; embedder: Embedder | undefined; env: EnvVars; runtime: Runtime },
): OpenedMemory {
  const { dbUrl, embedder, env, runtime } = p;
  if (!embedder) {
    const service = new DatabaseMemoryService({ dbUrl, runtime });
    return { service, close: () => service.close() };
  }
  const entries = new SqlMemoryStore({ dbUrl, runtime });
  const store =
    vectorStore === 'sqlite'
      ? new SqliteVecStore({ dbUrl, runtime })
      : new PgVectorStore({ dbUrl: readVectorUrl(env), runtime });
  return {
    service: new VectorMemoryService({ embedder, store, entries, ranking: 'hybrid', runtime }),
    close: async () => void (await Promise.all([entries.close(), store.close()])),
  };
}

function readVectorUrl(env: EnvVars): string {
  const url = env[VECTOR_URL]?.trim();
  if (!url) throw new TholeError('INVALID_INPUT', `memory.vector_store: pgvector needs the variable ${VECTOR_URL}.`);
  return url;
}
