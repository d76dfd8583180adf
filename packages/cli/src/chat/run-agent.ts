import { stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { silentLogger, TholeError } from '@thole/core';
import { assertName, withRuntime } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Runner } from '@thole/runner';
import { findOneAgent, loadOneAgent } from '../agents/load-one-agent.ts';
import type { Host } from '../host.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { usageError } from '../options/usage-error.ts';
import { logTo } from '../serve/log-to.ts';
import { servicesOnDemand } from '../services/open-services.ts';
import { lookFor } from '../terminal/look.ts';
import { RunOutput } from '../terminal/run-output.ts';
import { showRun } from '../terminal/show-run.ts';
import { linesTo } from '../terminal/write-to.ts';
import { Conversation } from './conversation.ts';
import { readReplay, readSavedSession, restoreSession, savedText } from './saved-session.ts';
import type { Replay, SavedSession } from './saved-session.ts';
import { sayAll, talk } from './talk.ts';

/** What `thole run` was told. */
export interface RunOptions extends ServiceOptions {
  userId: string;
  sessionId?: string | undefined;
  replay?: string | undefined;
  resume?: string | undefined;
  saveSession?: boolean | undefined;
  stream: boolean;
}

/** What a run begins with, beside its session's id. */
interface Beginning {
  replay?: Replay | undefined;
  saved?: SavedSession | undefined;
}

const SHOWN_EVENTS = 40;

/** Talks to the agent of a path, or says one message to it. Answers the exit code. */
export async function runAgent(
  given: Host,
  agent: string,
  message: string | undefined,
  options: RunOptions,
): Promise<number> {
  const verbose = given.argv.includes('--verbose');
  const runtime = loggingRuntime(given, verbose);
  const host: Host = { ...given, runtime };
  const { cwd } = host;
  const beginning = await checked(host, message, options);
  const place = await findOneAgent(cwd, agent);
  const services = servicesOnDemand(options, { cwd, runtime });
  const note = linesTo(host.errors);
  try {
    const { runner, found, close } = await loadOneAgent(place, { host, services });
    try {
      const sessionId = await sessionFor(runner, options, beginning);
      const { userId, stream: streaming } = options;
      const conversation = new Conversation({
        runner,
        userId,
        output: host.output,
        look: lookFor(host.output, host.env),
        streaming,
        verbose,
        sessionId,
      });
      const said = message === undefined ? beginning.replay?.queries : [message];
      if (!said) {
        note(`${runner.appName} is ready. /help lists the commands.`);
        if (options.resume !== undefined) await showHistory(host, runner, userId, sessionId!);
      }
      const code = said ? await sayAll(host, conversation, said) : await talk(host, conversation);
      if (conversation.sessionId !== undefined) {
        if (!said)
          note(`This was session ${conversation.sessionId}: --resume ${conversation.sessionId} goes on with it.`);
        if (options.saveSession) note(await save(runner, userId, conversation.sessionId, found.folder, cwd));
      }
      return code;
    } finally {
      await runner.close();
      close();
    }
  } finally {
    await services.close();
  }
}

/** The runtime with warnings and errors on the error stream, unless the runtime logs by itself. */
function loggingRuntime({ runtime, errors }: Host, verbose: boolean): Runtime {
  if (runtime.logger !== silentLogger) return runtime;
  return withRuntime(runtime, { logger: logTo(errors, { level: 'warning', runtime, verbose }) });
}

/** Refuses what cannot be meant, and reads the files that are named, before anything is opened. */
async function checked(host: Host, message: string | undefined, options: RunOptions): Promise<Beginning> {
  const { replay, resume } = options;
  if (replay !== undefined && (resume !== undefined || message !== undefined)) {
    throw usageError(
      `--replay brings its own session and messages: give no ${resume === undefined ? 'message' : '--resume'} with it.`,
    );
  }
  assertId('--user_id', options.userId);
  if (options.sessionId !== undefined) assertId('--session_id', options.sessionId);
  if (replay !== undefined) return { replay: await readReplay(resolve(host.cwd, replay), replay) };
  if (resume === undefined) return {};
  const file = resolve(host.cwd, resume);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isFile) return { saved: await readSavedSession(file, resume) };
  if (resume.endsWith('.json')) throw usageError(`There is no file ${resume}.`);
  if (options.sessionId !== undefined)
    throw usageError('--resume names a session already: give no --session_id with it.');
  return {};
}

function assertId(option: string, id: string): void {
  try {
    assertName(option, id);
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

async function sessionFor(
  { appName, sessionService }: Runner,
  options: RunOptions,
  { replay, saved }: Beginning,
): Promise<string | undefined> {
  const ref = { appName, userId: options.userId };
  const { sessionId } = options;
  if (replay) return (await sessionService.createSession({ ...ref, sessionId, state: replay.state })).id;
  if (saved) return restoreSession(sessionService, { ...ref, sessionId }, saved);
  const wanted = options.resume ?? sessionId;
  if (wanted === undefined) return undefined;
  const there = await sessionService.getSession({ ...ref, sessionId: wanted, numRecentEvents: 0 });
  if (there) return wanted;
  if (options.resume === undefined) return (await sessionService.createSession({ ...ref, sessionId: wanted })).id;
  throw new TholeError(
    'SESSION_NOT_FOUND',
    `${options.userId} has no session ${wanted} with ${appName}, and there is no such file.`,
  );
}

async function showHistory(
  host: Host,
  { appName, sessionService }: Runner,
  userId: string,
  sessionId: string,
): Promise<void> {
  const session = await sessionService.getSession({ appName, userId, sessionId, numRecentEvents: SHOWN_EVENTS });
  const look = { ...lookFor(host.output, host.env), isTerminal: false };
  await showRun(inOrder(session?.events ?? []), new RunOutput((text) => void host.output.write(text), look));
}

async function* inOrder<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

/** Answers a line that says where the session is. */
async function save(
  { appName, sessionService }: Runner,
  userId: string,
  sessionId: string,
  folder: string,
  cwd: string,
): Promise<string> {
  const session = await sessionService.getSession({ appName, userId, sessionId });
  if (!session) throw new TholeError('SESSION_NOT_FOUND', `Session ${sessionId} is gone and cannot be saved.`);
  const file = join(folder, `${encodeURIComponent(sessionId)}.session.json`);
  await writeFile(file, savedText(session));
  return `Saved the session as ${relative(cwd, file)}.`;
}
