import { TholeError } from '@thole/core';
import { assertCount, assertName } from '@thole/core/kit';
import type { ArtifactService, Event, Runtime, Session, SessionRef, SessionService } from '@thole/core';
import { sessionNotFound } from '../session/session-cache.ts';
import { artifactsOf, closeOpenWork, eventsToCopy, renumberEvents } from './plan-fork.ts';
import type { NamedArtifact } from './plan-fork.ts';

/** Arguments of `fork`. */
export interface ForkRequest {
  userId: string;
  sessionId: string;
  /** The copy ends before the first event of this invocation. Not together with `uptoSeq`. Default: all events. */
  beforeInvocationId?: string | undefined;
  /** `seq` of the last event to copy, ≥ 1. Not together with `beforeInvocationId`. Default: all events. */
  uptoSeq?: number | undefined;
  /** Id of the copy. Default: a new id. */
  newSessionId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The services of a session and of its copy. */
export interface ForkServices {
  readonly sessionService: SessionService;
  readonly artifactService: ArtifactService | undefined;
  readonly runtime: Runtime;
}

/** Copies a session: first the artifacts, then the events in one step. Takes no lease. Returns the copy. */
export async function forkSession(services: ForkServices, ref: SessionRef, p: ForkRequest): Promise<Session> {
  checkRequest(p);
  const { artifactService, runtime, sessionService } = services;
  const { signal } = p;
  if (!sessionService.insertSession)
    throw new TholeError('INVALID_INPUT', 'The session service does not have insertSession(), which a fork needs.');
  const session = await sessionService.getSession({ ...ref, signal });
  if (!session) throw sessionNotFound(ref);
  const { incarnation, initialState } = session;
  if (initialState === undefined)
    throw new TholeError('INVALID_INPUT', 'The session service does not return initialState, which a fork needs.');
  const copied = eventsToCopy(session, p);
  const named = artifactsOf(copied);
  if (named.length > 0 && !artifactService) {
    const message = 'The runner needs an artifactService for this fork: the session has saved artifacts.';
    throw new TholeError('ARTIFACT_NOT_CONFIGURED', message);
  }
  const target = { ...ref, sessionId: p.newSessionId ?? runtime.newId('session') };
  // Checked before any file is saved, because the files of an existing session must not change.
  if (await sessionService.getSession({ ...target, numRecentEvents: 0, signal }))
    throw new TholeError('SESSION_ALREADY_EXISTS', `Session "${target.sessionId}" exists already.`);
  try {
    const versions = await copyArtifacts(artifactService!, { from: ref, to: target, named, signal });
    const events: Event[] = renumberEvents(copied, (each) => versions.get(keyOf(each)));
    events.push(...closeOpenWork(copied, runtime));
    const forkedFrom = { sessionId: ref.sessionId, incarnation, copiedEvents: events.length };
    return await sessionService.insertSession({ ...target, initialState, events, forkedFrom, signal });
  } catch (error) {
    // Keeps the files if a session may use them: another session with this id, or the copy.
    const mayBeUsed = TholeError.is(error, 'SESSION_ALREADY_EXISTS') || TholeError.is(error, 'STORE_OUTCOME_UNKNOWN');
    if (named.length > 0 && !mayBeUsed) await artifactService!.deleteSessionArtifacts(target).catch(noop);
    throw error;
  }
}

function checkRequest(p: ForkRequest): void {
  const { beforeInvocationId, newSessionId, uptoSeq } = p;
  if (beforeInvocationId !== undefined) assertName('beforeInvocationId', beforeInvocationId);
  if (newSessionId !== undefined) assertName('newSessionId', newSessionId);
  if (uptoSeq !== undefined) assertCount('uptoSeq', uptoSeq, 1);
  if (beforeInvocationId !== undefined && uptoSeq !== undefined)
    throw new TholeError('INVALID_INPUT', 'Pass beforeInvocationId or uptoSeq, not both.');
}

/** Saves the files for the copy, except deleted versions. Returns the versions in the copy by file and original version. */
async function copyArtifacts(
  service: ArtifactService,
  p: { from: SessionRef; to: SessionRef; named: readonly NamedArtifact[]; signal: AbortSignal | undefined },
): Promise<Map<string, number>> {
  const { from, named, signal, to } = p;
  const versions = new Map<string, number>();
  for (const each of named) {
    const { filename, version } = each;
    const at = { ...from, filename, version, signal };
    const artifact = await service.loadArtifact(at);
    if (!artifact) continue;
    const customMetadata = (await service.getArtifactVersion(at))?.customMetadata;
    versions.set(keyOf(each), await service.saveArtifact({ ...to, filename, artifact, customMetadata, signal }));
  }
  return versions;
}

function keyOf({ filename, version }: NamedArtifact): string {
  return `${version}/${filename}`;
}

function noop(): void {}
