import { join, resolve } from 'node:path';
import type { ArtifactService, EnvVars, MemoryService, Runtime, SessionService } from '@thole/core';
import { createArtifactService, createMemoryService, createSessionService } from '@thole/services';
import type { Closable, CreateServiceOptions } from '@thole/services';

/** Sessions, memory and artifacts. */
export interface Database {
  sessionService: SessionService;
  memoryService: MemoryService;
  /** Undefined without `THOLE_ARTIFACT_URL`. */
  artifactService: ArtifactService | undefined;
  /** Closes all services. */
  close: () => Promise<void>;
}

/**
 * Opens the services that these variables name. Throws `INVALID_INPUT` for an unsupported URL.
 *
 * - `THOLE_SESSION_URL`: `redis://…`, `postgresql://…`, `mysql://…`, `sqlite:///…` or `agentengine://…`. Default: the file
 *   `concierge.db` in the folder `THOLE_DATA` (`./.thole`), which is created.
 * - `THOLE_MEMORY_URL`: the same, or `rag://…`. Default: the database of the sessions, or the file.
 * - `THOLE_ARTIFACT_URL`: `gs://…`, `s3://…`, `file://…` or a database. Default: no artifacts.
 */
export async function openDatabase({ runtime, env }: { runtime: Runtime; env: EnvVars }): Promise<Database> {
  // Package managers that run the app in its own folder set `INIT_CWD` to the folder of the caller.
  const cwd = resolve(env['INIT_CWD'] ?? '.');
  const opened: Closable<object>[] = [];
  const close = async (): Promise<void> => void (await Promise.all(opened.map((each) => each.close())));
  const open = async <S extends object>(create: Create<S>, uriName: string, url: string): Promise<S> => {
    const service = await create(url, { cwd, uriName, runtime });
    opened.push(service);
    return service;
  };
  const readUrl = (name: string): string | undefined => env[name]?.trim() || undefined;
  const file = `sqlite:///${encodeURI(join(readUrl('THOLE_DATA') ?? '.thole', 'concierge.db'))}`;
  const sessionUrl = readUrl('THOLE_SESSION_URL') ?? file;
  // Memory Bank extracts facts with Google's models, so it is used only if THOLE_MEMORY_URL names it.
  const memoryUrl = readUrl('THOLE_MEMORY_URL') ?? (/^agentengine:/i.test(sessionUrl) ? file : sessionUrl);
  const artifactUrl = readUrl('THOLE_ARTIFACT_URL');
  try {
    const sessionService = await open(createSessionService, 'THOLE_SESSION_URL', sessionUrl);
    const memoryService = await open(createMemoryService, 'THOLE_MEMORY_URL', memoryUrl);
    const artifactService =
      artifactUrl === undefined ? undefined : await open(createArtifactService, 'THOLE_ARTIFACT_URL', artifactUrl);
    return { sessionService, memoryService, artifactService, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Create<S> = (url: string, options: CreateServiceOptions) => Promise<Closable<S>>;
