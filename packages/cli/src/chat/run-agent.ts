import { stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { silentLogger, TholeError } from '@thole/core';
import { assertName, sessionNotFound, withRuntime } from '@thole/core/kit';
import type { Interrupt, Runtime, SessionRef } from '@thole/core';
import type { Runner } from '@thole/runner';
import { findOneAgent, loadOneAgent } from '../agents/load-one-agent.ts';
import type { Host } from '../host.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { shellWord } from '../options/shell-word.ts';
import { usageError } from '../options/usage-error.ts';
import { streamLogger } from '../serve/stream-logger.ts';
import { servicesOnDemand } from '../services/open-services.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { showRun } from '../terminal/show-run.ts';
import { terminalStyle } from '../terminal/terminal-style.ts';
import { chatLoop, isInteractive, sendAnswers, sendMessages } from './chat-loop.ts';
import { Conversation } from './conversation.ts';
import { readReplay, readSavedSession, restoreSession, savedText } from './saved-session.ts';
import type { Replay, SavedSession } from './saved-session.ts';

/** Options of `thole run`. */
export interface RunOptions extends ServiceOptions {
  userId: string;
  sessionId?: string | undefined;
  replay?: string | undefined;
  resume?: string | undefined;
  saveSession?: boolean | undefined;
  /** Answers to open interrupts of the session, each `<id>=<value>`. */
  answer?: readonly string[] | undefined;
  stream: boolean;
}

/** The content of the files that the options name. */
interface SessionSource {
  replay?: Replay | undefined;
  saved?: SavedSession | undefined;
}

/** Default of `--user_id`. */
const DEFAULT_USER = 'user';
/** Maximum number of events of a resumed session that are shown. */
const SHOWN_EVENTS = 40;

/** Chats with the agent of a path, or sends one message. Returns the exit code. */
export async function runAgent(
  processHost: Host,
  agent: string,
  message: string | undefined,
  options: RunOptions,
): Promise<number> {
  const verbose = processHost.argv.includes('--verbose');
  const runtime = loggingRuntime(processHost, verbose);
  const host: Host = { ...processHost, runtime };
  const { cwd } = host;
  const source = await readSessionSource(host, message, options);
  const location = await findOneAgent(cwd, agent);
  const services = servicesOnDemand(options, { cwd, runtime });
  const printNote = lineWriter(host.errors);
  try {
    const { runner, module, close } = await loadOneAgent(location, { host, services });
    try {
      const { userId, stream: streaming } = options;
      const sessionId = await prepareSession(runner, options, source);
      const style = terminalStyle(host.output, host.env);
      const conversation = new Conversation({
        ...{ runner, userId, host, style, streaming, verbose, sessionId },
        asksFor: isInteractive(host) ? ['confirmation', 'input', 'credential'] : [],
      });
      const messages = message === undefined ? source.replay?.queries : [message];
      const isChat = !messages && options.answer === undefined;
      if (isChat) {
        printNote(`${runner.appName} is ready. /help lists the commands.`);
        if (options.resume !== undefined)
          await showHistory(host, runner, { appName: runner.appName, userId, sessionId: sessionId! });
      }
      const code = options.answer
        ? await sendAnswers(host, conversation, options.answer)
        : messages
          ? await sendMessages(host, conversation, messages)
          : await chatLoop(host, conversation);
      if (conversation.sessionId !== undefined) {
        const ref = { appName: runner.appName, userId, sessionId: conversation.sessionId };
        // A session in memory ends with the process.
        const isKept = options.sessionServiceUri?.startsWith('memory:') !== true;
        if (isChat && isKept) printNote(`To continue this session: --resume ${ref.sessionId}`);
        const command = resumeCommand(agent, ref, options);
        if (isKept) for (const line of waitingNotes(command, conversation.interrupts)) printNote(line);
        if (options.saveSession) printNote(await saveSession(runner, ref, module.folder, cwd));
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

/** Returns a runtime that writes warnings and errors to the error stream, unless the runtime has a logger. */
function loggingRuntime({ runtime, errors }: Host, verbose: boolean): Runtime {
  if (runtime.logger !== silentLogger) return runtime;
  return withRuntime(runtime, { logger: streamLogger(errors, { level: 'warning', runtime, verbose }) });
}

/** Rejects invalid combinations of options and reads the named files, before any service is opened. */
async function readSessionSource(host: Host, message: string | undefined, options: RunOptions): Promise<SessionSource> {
  const { replay, resume } = options;
  if (replay !== undefined && (resume !== undefined || message !== undefined)) {
    const other = resume === undefined ? 'a message' : '--resume';
    throw usageError(`--replay has its own session and messages: do not combine it with ${other}.`);
  }
  if (options.answer !== undefined && (message !== undefined || replay !== undefined))
    throw usageError('--answer answers the questions of a session: do not combine it with a message or --replay.');
  if (options.answer !== undefined && resume === undefined && options.sessionId === undefined)
    throw usageError('--answer needs the session: add --resume <id>.');
  assertId('--user_id', options.userId);
  if (options.sessionId !== undefined) assertId('--session_id', options.sessionId);
  if (replay !== undefined) return { replay: await readReplay(resolve(host.cwd, replay), replay) };
  if (resume === undefined) return {};
  const file = resolve(host.cwd, resume);
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

function assertId(option: string, id: string): void {
  try {
    assertName(option, id);
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

/** Returns the id of the session, which is created or restored if needed. Undefined if the first message creates one. */
async function prepareSession(
  { appName, sessionService }: Runner,
  options: RunOptions,
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

/** Returns the command that continues the session, with the same user and services. Leaves out URIs with a password. */
function resumeCommand(agent: string, { sessionId, userId }: SessionRef, options: ServiceOptions): string {
  const uris = {
    session: options.sessionServiceUri,
    memory: options.memoryServiceUri,
    artifact: options.artifactServiceUri,
  };
  const words = ['thole', 'run', agent, '--resume', sessionId];
  if (userId !== DEFAULT_USER) words.push('--user_id', userId);
  for (const [service, uri] of Object.entries(uris))
    if (uri !== undefined) words.push(`--${service}_service_uri`, /:\/\/[^/]*@/.test(uri) ? '…' : uri);
  return words.map(shellWord).join(' ');
}

/** Returns a line for each open interrupt that describes how to answer or continue it. */
function waitingNotes(command: string, interrupts: readonly Interrupt[]): string[] {
  return interrupts.map(({ expiresAt, id, kind }) => {
    if (kind === 'timer')
      return `The agent waits until ${isoTime(expiresAt)}. A server or ${command} then continues it.`;
    const value = kind === 'confirmation' ? 'yes' : "'…'";
    return `The agent waits for an answer. To answer: ${command} --answer ${shellWord(id)}=${value}`;
  });
}

function isoTime(seconds: number | undefined): string {
  return new Date((seconds ?? 0) * 1_000).toISOString();
}

async function showHistory(host: Host, { sessionService }: Runner, ref: SessionRef): Promise<void> {
  const session = await sessionService.getSession({ ...ref, numRecentEvents: SHOWN_EVENTS });
  const style = { ...terminalStyle(host.output, host.env), isTerminal: false };
  const write = (text: string): void => void host.output.write(text);
  await showRun(toAsyncIterable(session?.events ?? []), { write, style });
}

async function* toAsyncIterable<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

/** Writes a session to a file in the agent's folder. Returns a sentence with its path. */
async function saveSession({ sessionService }: Runner, ref: SessionRef, folder: string, cwd: string): Promise<string> {
  const session = await sessionService.getSession(ref);
  if (!session) throw sessionNotFound(ref);
  const file = join(folder, `${encodeURIComponent(ref.sessionId)}.session.json`);
  await writeFile(file, savedText(session));
  return `Saved the session as ${relative(cwd, file)}.`;
}
