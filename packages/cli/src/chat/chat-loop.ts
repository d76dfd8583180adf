import { parseJson } from '@thole/core/kit';
import type { Interrupt, Json } from '@thole/core';
import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { readLines } from '../terminal/read-lines.ts';
import type { Conversation, Outcome } from './conversation.ts';
import { parseAnswer } from './parse-answer.ts';
import { Questions } from './questions.ts';

const HELP = `  /new     start a new session
  /rewind  remove the last message and its answer
  /again   answer the last message again
  /fork    continue in a copy of the session
  /later   answer a question of the agent later
  /help    show this help
  /quit    quit (also: exit)
  All other text is sent to the agent. Ctrl-C stops an answer; without an answer it quits.`;

/** True if the user can be asked: input and output are terminals. */
export function isInteractive({ input, output }: Pick<Host, 'input' | 'output'>): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/**
 * Sends the typed lines until the input ends or the user quits. In a terminal it asks for the answers to open interrupts.
 * Returns the exit code: 0, or 1 if an answer failed and the input is not a terminal.
 */
export async function chatLoop(host: Host, conversation: Conversation): Promise<number> {
  const print = lineWriter(host.output);
  const questions = new Questions(host, conversation);
  const ask = (): void => void (isInteractive(host) && questions.ask());
  let hasFailed = false;
  await conversation.readInterrupts();
  await conversation.waitForTimers();
  ask();
  await readAll(host, conversation, questions, async (line) => {
    const text = line.trim();
    if (text === '/quit' || text === 'exit') return false;
    if (text === '/help') print(HELP);
    else if (text === '/new') {
      conversation.startNewSession();
      ask();
    } else if (text === '/rewind' || text === '/fork') {
      print(text === '/rewind' ? await conversation.rewind() : await conversation.fork());
      ask();
    } else if (text === '/again') hasFailed = (await conversation.regenerate()) === 'failed' || hasFailed;
    else if (questions.prompt !== undefined) await questions.handle(line);
    else if (text === '/later') print('There is no question to answer later.');
    else if (/^\/\w*$/.test(text)) print(`There is no command ${text}. /help lists the commands.`);
    else if (text !== '') hasFailed = (await conversation.send(text)) === 'failed' || hasFailed;
    await conversation.waitForTimers();
    if (questions.prompt === undefined) ask();
    return true;
  });
  return hasFailed && !isInteractive(host) ? 1 : 0;
}

/**
 * Sends messages one after the other. In a terminal it asks for the answers to interrupts at the end. Returns the exit code: 0, 1
 * if one failed, or 130 after an interrupt.
 */
export async function sendMessages(
  host: Host,
  conversation: Conversation,
  messages: readonly string[],
): Promise<number> {
  const print = lineWriter(host.output);
  const sends = messages.map((message) => (): Promise<Outcome> => {
    if (messages.length > 1) print(`user: ${message}`);
    return conversation.send(message);
  });
  return runAll(host, conversation, sends);
}

/** Sends the answers of `--answer`, each `id=value`, at once. Returns the exit code, as `sendMessages` does. */
export async function sendAnswers(host: Host, conversation: Conversation, texts: readonly string[]): Promise<number> {
  const open = await conversation.readInterrupts();
  const entries = texts.map((text) => readAnswer(text, open));
  const twice = entries.find(([id], i) => entries.findIndex(([other]) => other === id) < i);
  if (twice) throw usageError(`--answer has two answers for "${twice[0]}". Pass one.`);
  const answers = Object.fromEntries(entries);
  return runAll(host, conversation, [() => conversation.answer(answers)]);
}

async function runAll(
  host: Host,
  conversation: Conversation,
  steps: readonly (() => Promise<Outcome>)[],
): Promise<number> {
  let isInterrupted = false;
  let hasFailed = false;
  const removeListener = host.onInterrupt(() => {
    isInterrupted = true;
    conversation.stop();
  });
  try {
    for (const step of steps) {
      hasFailed = (await step()) === 'failed' || hasFailed;
      if (!isInterrupted) await conversation.waitForTimers();
      if (isInterrupted) return 130;
    }
  } finally {
    removeListener();
  }
  await askAll(host, conversation);
  return hasFailed ? 1 : 0;
}

/** Asks in a terminal until no question is open. */
async function askAll(host: Host, conversation: Conversation): Promise<void> {
  const questions = new Questions(host, conversation);
  if (isInteractive(host)) questions.ask();
  if (questions.prompt === undefined) return;
  await readAll(host, conversation, questions, async (line) => {
    if (line.trim() === '/quit') return false;
    await questions.handle(line);
    await conversation.waitForTimers();
    return questions.prompt !== undefined;
  });
}

async function readAll(
  host: Host,
  conversation: Conversation,
  questions: Questions,
  handleLine: (line: string) => Promise<boolean>,
): Promise<void> {
  const { input, output } = host;
  await readLines({
    input,
    output,
    handleLine,
    prompt: () => questions.prompt ?? '> ',
    stopWork: () => conversation.stop(),
    onInterrupt: (listener) => host.onInterrupt(listener),
  });
}

function readAnswer(text: string, open: readonly Interrupt[]): [string, Json] {
  const [, id, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (id === undefined || value === undefined)
    throw usageError('--answer must be <id>=<value>, for example --answer adk-1=yes.');
  const interrupt = open.find((each) => each.id === id);
  return [id, interrupt ? parseAnswer(interrupt, value) : (parseJson(value) ?? value)];
}
