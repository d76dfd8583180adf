import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TholeError } from '@thole/core';
import { sessionNotFound } from '@thole/core/kit';
import type { Runner } from '@thole/runner';
import { assertNameOption, usageError } from '../options/usage-error.ts';
import { readReplay, readSavedSession, restoreSession } from './saved-session.ts';
import type { Replay, SavedSession } from './saved-session.ts';

/** The options of `thole run` that name its session. */
export interface SessionOptions {
  userId: string;
  sessionId?: string | undefined;
  replay?: string | undefined;
  resume?: string | undefined;
  /** Answers to open interrupts of the session, each `<id>=<value>`. */
  answer?: readonly string[] | undefined;
}

/** The content of the files that the options name. */
export interface SessionSource {
  replay?: Replay | undefined;
  saved?: SavedSession | undefined;
}

/** Rejects invalid combinations of options and reads the named files, before any service is opened. */
export async function readSessionSource(
  cwd: string,
  message: string | undefined,
  options: SessionOptions,
): Promise<SessionSource> {
  const { replay, resume } = options;
  if (message === '') throw usageError('The message must not be empty. Without a message, thole run starts a chat.');
  if (replay !== undefined && (resume !== undefined || message !== undefined)) {
    const other = resume === undefined ? 'a message' : '--resume';
    throw usageError(`--replay has its own session and messages: do not combine it with ${other}.`);
  }
  if (options.answer !== undefined && (message !== undefined || replay !== undefined))
    throw usageError('--answer answers the questions of a session: do not combine it with a message or --replay.');
  if (options.answer !== undefined && resume === undefined && options.sessionId === undefined)
    throw usageError('--answer needs the session: add --resume <id>.');
  assertNameOption('--user_id', options.userId);
  if (options.sessionId !== undefined) assertNameOption('--session_id', options.sessionId);
  if (replay !== undefined) return { replay: await readReplay(resolve(cwd, replay), replay) };
  if (resume === undefined) return {};
  const file = resolve(cwd, resume);
  const isFile = await stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (isFile) return { saved: await readSavedSession(file, resume) };
  if (resume.endsWith('.json')) throw usageError(`There is no file ${resume}.`);
  if (options.sessionId !== undefined)
    throw usageError('--resume names a session: do not combine it with --session_id.');
  return {};
}

/** Returns the id of the session, which is created or restored if needed. Undefined if the first message creates one. */
export async function prepareSession(
  { appName, sessionService }: Runner,
  options: SessionOptions,
  { replay, saved }: SessionSource,
): Promise<string | undefined> {
  const user = { appName, userId: options.userId };
  const { sessionId } = options;
  if (replay) return (await sessionService.createSession({ ...user, sessionId, state: replay.state })).id;
  if (saved) return restoreSession(sessionService, { ...user, sessionId }, saved);
  const requestedId = options.resume ?? sessionId;
  if (requestedId === undefined) return undefined;
  const existing = await sessionService.getSession({ ...user, sessionId: requestedId, numRecentEvents: 0 });
  if (existing) return requestedId;
  if (options.resume === undefined) return (await sessionService.createSession({ ...user, sessionId: requestedId })).id;
  const { message } = sessionNotFound({ ...user, sessionId: requestedId });
  throw new TholeError('SESSION_NOT_FOUND', `${message.replace(/\.$/, '')}, and there is no file with this name.`);
}
