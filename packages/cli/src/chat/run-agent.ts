import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { silentLogger } from '@thole/core';
import { applyRewinds, sessionNotFound, withRuntime } from '@thole/core/kit';
import type { Interrupt, Runtime, SessionRef } from '@thole/core';
import type { Runner } from '@thole/runner';
import { findOneAgent, loadOneAgent } from '../agents/load-one-agent.ts';
import { isVerbose } from '../host.ts';
import type { Host } from '../host.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { shellWord } from '../options/shell-word.ts';
import { streamLogger } from '../serve/stream-logger.ts';
import { servicesOnDemand } from '../services/open-services.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { showRun } from '../terminal/show-run.ts';
import { terminalStyle } from '../terminal/terminal-style.ts';
import { chatLoop, isInteractive, sendAnswers, sendMessages } from './chat-loop.ts';
import { Conversation } from './conversation.ts';
import { savedFileName, savedText } from './saved-session.ts';
import { prepareSession, readSessionSource } from './session-source.ts';
import type { SessionOptions, SessionSource } from './session-source.ts';

/** Options of `thole run`. */
export interface RunOptions extends ServiceOptions, SessionOptions {
  saveSession?: boolean | undefined;
  stream: boolean;
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
  const runtime = loggingRuntime(processHost);
  const host: Host = { ...processHost, runtime };
  const { cwd } = host;
  const source = await readSessionSource(cwd, message, options);
  const location = await findOneAgent(cwd, agent);
  const services = servicesOnDemand(options, { cwd, runtime });
  try {
    const { runner, module, close } = await loadOneAgent(location, { host, services });
    try {
      return await converse(host, runner, { agent, folder: module.folder, message, options, source });
    } finally {
      await runner.close();
      close();
    }
  } finally {
    await services.close();
  }
}

/** Chats, or sends the answers or messages of the options. Then prints the commands that continue the session. */
async function converse(
  host: Host,
  runner: Runner,
  p: { agent: string; folder: string; message: string | undefined; options: RunOptions; source: SessionSource },
): Promise<number> {
  const { message, options, source } = p;
  const { answer, resume, stream: streaming, userId } = options;
  const printNote = lineWriter(host.errors);
  const sessionId = await prepareSession(runner, options, source);
  const conversation = new Conversation({
    runner,
    userId,
    host,
    streaming,
    sessionId,
    style: terminalStyle(host.output, host.env),
    verbose: isVerbose(host),
    asksFor: isInteractive(host) ? ['confirmation', 'input', 'credential'] : [],
  });
  const messages = message === undefined ? source.replay?.queries : [message];
  const isChat = !messages && answer === undefined;
  if (isChat) {
    printNote(`${runner.appName} is ready. /help lists the commands.`);
    if (resume !== undefined)
      await showHistory(host, runner, { appName: runner.appName, userId, sessionId: sessionId! });
  }
  const code = answer
    ? await sendAnswers(host, conversation, answer)
    : messages
      ? await sendMessages(host, conversation, messages)
      : await chatLoop(host, conversation);
  if (conversation.sessionId === undefined) return code;
  const ref = { appName: runner.appName, userId, sessionId: conversation.sessionId };
  // A session in memory ends with the process.
  const isKept = options.sessionServiceUri?.startsWith('memory:') !== true;
  if (isChat && isKept) printNote(`To continue this session: --resume ${shellWord(ref.sessionId)}`);
  const command = resumeCommand(p.agent, ref, options);
  if (isKept) for (const line of waitingNotes(command, conversation.interrupts)) printNote(line);
  if (options.saveSession) printNote(await saveSession(runner, ref, p.folder, host.cwd));
  return code;
}

/** Returns a runtime that writes warnings and errors to the error stream, unless the runtime has a logger. */
function loggingRuntime(host: Host): Runtime {
  const { errors, runtime } = host;
  if (runtime.logger !== silentLogger) return runtime;
  const logger = streamLogger(errors, { level: 'warning', runtime, verbose: isVerbose(host) });
  return withRuntime(runtime, { logger });
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
  return words.map((word) => shellWord(word)).join(' ');
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
  const session = await sessionService.getSession(ref);
  const events = applyRewinds(session?.events ?? []).slice(-SHOWN_EVENTS);
  const style = { ...terminalStyle(host.output, host.env), isTerminal: false };
  const write = (text: string): void => void host.output.write(text);
  await showRun(events, { write, style });
}

/** Writes a session to a file in the agent's folder. Returns a sentence with its path. */
async function saveSession({ sessionService }: Runner, ref: SessionRef, folder: string, cwd: string): Promise<string> {
  const session = await sessionService.getSession(ref);
  if (!session) throw sessionNotFound(ref);
  const file = join(folder, savedFileName(ref.sessionId));
  await writeFile(file, savedText(session));
  return `Saved the session as ${relative(cwd, file)}.`;
}
