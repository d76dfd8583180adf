import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TholeError } from '@thole/core';
import type { ArtifactService, EnvVars, MemoryService, Runtime, SessionService } from '@thole/core';

/** Sessions, memory and artifacts. */
export interface Database {
  sessionService: SessionService;
  memoryService: MemoryService;
  /** Undefined without `THOLE_ARTIFACT_URL`. */
  artifactService: ArtifactService | undefined;
  /** Closes all of them. */
  close: () => Promise<void>;
}

/** The services that one URL names. */
type Opened = Partial<Omit<Database, 'close'>> & { close?: () => Promise<unknown> };

/**
 * Opens the services that these variables name. Throws `INVALID_INPUT` for another kind of URL.
 *
 * - `THOLE_SESSION_URL`: `redis://…`, `postgresql://…`, `mysql://…`, `sqlite:///…` or `agentengine://…`. Default: the file
 *   `concierge.db` in the folder `THOLE_DATA` (`./.thole`), which is created.
 * - `THOLE_MEMORY_URL`: the same, or `rag://…`. Default: the database of the sessions, or the file.
 * - `THOLE_ARTIFACT_URL`: `gs://…` or `s3://…`. Default: no artifacts.
 */
export async function openDatabase(p: { runtime: Runtime; env: EnvVars }): Promise<Database> {
  const { runtime, env } = p;
  const urlIn = (name: string): string | undefined => env[name]?.trim() || undefined;
  const sessionUrl = urlIn('THOLE_SESSION_URL') ?? fileIn(env);
  // Memory Bank extracts facts with Google's models, so memory is there only on request.
  const memoryUrl = urlIn('THOLE_MEMORY_URL') ?? (/^agentengine:/i.test(sessionUrl) ? fileIn(env) : sessionUrl);
  const artifactUrl = urlIn('THOLE_ARTIFACT_URL');
  const sessions = await openUrl(sessionUrl, runtime);
  const memory = memoryUrl === sessionUrl ? sessions : await openUrl(memoryUrl, runtime);
  const artifacts = artifactUrl === undefined ? undefined : await openUrl(artifactUrl, runtime);
  return {
    sessionService: required(sessions.sessionService, 'THOLE_SESSION_URL must be the URL of a database.'),
    memoryService: required(memory.memoryService, 'THOLE_MEMORY_URL must be the URL of a database, or rag://<corpus>.'),
    artifactService:
      artifacts && required(artifacts.artifactService, 'THOLE_ARTIFACT_URL must be gs://<bucket> or s3://<bucket>.'),
    close: async () => {
      const opened = new Set([sessions, memory, artifacts]);
      await Promise.all(Array.from(opened, async (each) => each?.close?.()));
    },
  };
}

function required<S>(service: S | undefined, message: string): S {
  if (service === undefined) throw new TholeError('INVALID_INPUT', message);
  return service;
}

/** Package managers that run the app in its own folder set `INIT_CWD` to the folder of the caller. */
function fileIn(env: EnvVars): string {
  const folder = resolve(env['INIT_CWD'] ?? '.', env['THOLE_DATA']?.trim() || '.thole');
  mkdirSync(folder, { recursive: true });
  return `sqlite:///${join(folder, 'concierge.db').split(/[\\/]/).map(encodeURIComponent).join('/')}`;
}

async function openUrl(url: string, runtime: Runtime): Promise<Opened> {
  const [, scheme = '', name = ''] = /^(\w+):\/\/(.*)$/.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'redis':
    case 'rediss':
      return openRedis(url, runtime);
    case 'agentengine': {
      const { VertexAiMemoryBankService, VertexAiSessionService } = await import('@thole/vertex-services');
      const options = { agentEngineId: name, runtime };
      return {
        sessionService: new VertexAiSessionService(options),
        memoryService: new VertexAiMemoryBankService(options),
      };
    }
    case 'rag': {
      const { VertexAiRagMemoryService } = await import('@thole/vertex-services');
      return { memoryService: new VertexAiRagMemoryService({ ragCorpus: name, runtime }) };
    }
    case 'gs': {
      const { GcsArtifactService } = await import('@thole/vertex-services');
      return { artifactService: new GcsArtifactService({ ...bucketIn(name), runtime }) };
    }
    case 's3': {
      const { S3ArtifactService } = await import('@thole/s3-services');
      const artifactService = new S3ArtifactService({ ...bucketIn(name), runtime });
      return { artifactService, close: () => artifactService.close() };
    }
    default:
      return openSql(url, runtime);
  }
}

/** Reads `bucket/prefix`, and for S3 also `?region=…&endpoint=…`. */
function bucketIn(name: string): { bucket: string; prefix?: string } {
  const [, bucket = '', prefix, query] = /^([^/?]*)\/?([^?]*)\??(.*)$/.exec(name) ?? [];
  return { bucket, ...(prefix && { prefix }), ...Object.fromEntries(new URLSearchParams(query)) };
}

async function openSql(dbUrl: string, runtime: Runtime): Promise<Opened> {
  const { DatabaseMemoryService, DatabaseSessionService } = await import('@thole/sql-services');
  const sessionService = new DatabaseSessionService({ dbUrl, runtime });
  const memoryService = new DatabaseMemoryService({ dbUrl, runtime });
  return { sessionService, memoryService, close: () => Promise.all([sessionService.close(), memoryService.close()]) };
}

async function openRedis(url: string, runtime: Runtime): Promise<Opened> {
  const { Redis } = await import('ioredis');
  const { RedisMemoryService, RedisSessionService } = await import('@thole/redis-services');
  const client = new Redis(url);
  // Calls report a lost connection.
  client.on('error', () => {});
  return {
    sessionService: new RedisSessionService(client, { runtime }),
    memoryService: new RedisMemoryService(client, { runtime }),
    close: async () => client.disconnect(),
  };
}
