import { createInterface } from 'node:readline';
import type { Host } from '../host.ts';
import { linesTo } from '../terminal/write-to.ts';
import type { Conversation } from './conversation.ts';

const HELP = `  /new     begin another session
  /help    show this
  /quit    leave; exit does so too
  Everything else is said to the agent. Ctrl-C stops an answer, and leaves when there is none.`;

/** Says what is typed, line by line, until the input ends or somebody leaves. Answers the exit code: from a pipe 1 when an answer failed. */
export async function talk(host: Host, conversation: Conversation): Promise<number> {
  const { input, output } = host;
  const interactive = input.isTTY === true && output.isTTY === true;
  const print = linesTo(output);
  const reader = createInterface({
    input,
    output: interactive ? output : undefined,
    terminal: interactive,
    crlfDelay: Infinity,
  });
  // At once: lines that come before anybody iterates would be lost.
  const lines = reader[Symbol.asyncIterator]();
  let left = false;
  let failed = false;
  let stopping = false;
  const leave = (): void => {
    left = true;
    reader.close();
  };
  const interrupt = (): void => {
    const stops = !stopping && conversation.stop();
    if (!stops) leave();
    stopping = stops;
  };
  // Whoever read the output has left: there is nobody to talk to, which is no failure.
  output.on('error', leave);
  // In a terminal readline takes the key itself; elsewhere the process hears a signal.
  reader.on('SIGINT', interrupt);
  const quiet = host.onInterrupt(interrupt);
  const prompt = (): void => {
    reader.setPrompt('> ');
    if (interactive) reader.prompt();
  };
  try {
    prompt();
    for await (const line of lines) {
      const text = line.replace(/^\uFEFF/u, '').trim();
      if (text === '/quit' || text === 'exit') break;
      if (text === '/help') print(HELP);
      else if (text === '/new') conversation.startAnew();
      else if (/^\/\w*$/.test(text)) print(`There is no command ${text}. /help lists the commands.`);
      else if (text !== '') failed = (await conversation.say(text)) === 'failed' || failed;
      stopping = false;
      if (left) break;
      prompt();
    }
    return failed && !interactive ? 1 : 0;
  } finally {
    quiet();
    output.off('error', leave);
    reader.close();
    input.destroy();
  }
}

/** Says these messages one after the other. Answers the exit code: 1 when one failed, 130 when somebody interrupted. */
export async function sayAll(host: Host, conversation: Conversation, messages: readonly string[]): Promise<number> {
  let interrupted = false;
  let failed = false;
  const quiet = host.onInterrupt(() => {
    interrupted = true;
    conversation.stop();
  });
  const print = linesTo(host.output);
  try {
    for (const message of messages) {
      if (messages.length > 1) print(`user: ${message}`);
      failed = (await conversation.say(message)) === 'failed' || failed;
      if (interrupted) return 130;
    }
    return failed ? 1 : 0;
  } finally {
    quiet();
  }
}
