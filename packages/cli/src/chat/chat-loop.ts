import type { Host } from '../host.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { readLines } from '../terminal/read-lines.ts';
import type { Conversation } from './conversation.ts';

const HELP = `  /new     start a new session
  /help    show this help
  /quit    quit (also: exit)
  All other text is sent to the agent. Ctrl-C stops an answer; without an answer it quits.`;

/**
 * Sends the typed lines until the input ends or the user quits. Returns the exit code: 0, or 1 if an answer failed and
 * the input is not a terminal.
 */
export async function chatLoop(host: Host, conversation: Conversation): Promise<number> {
  const { input, output } = host;
  const print = lineWriter(output);
  let hasFailed = false;
  const handleLine = async (line: string): Promise<boolean> => {
    const text = line.trim();
    if (text === '/quit' || text === 'exit') return false;
    if (text === '/help') print(HELP);
    else if (text === '/new') conversation.startNewSession();
    else if (/^\/\w*$/.test(text)) print(`There is no command ${text}. /help lists the commands.`);
    else if (text !== '') hasFailed = (await conversation.send(text)) === 'failed' || hasFailed;
    return true;
  };
  await readLines({
    ...{ input, output, handleLine, prompt: () => '> ', stopWork: () => conversation.stop() },
    onInterrupt: (listener) => host.onInterrupt(listener),
  });
  const isInteractive = input.isTTY === true && output.isTTY === true;
  return hasFailed && !isInteractive ? 1 : 0;
}

/** Sends messages one after the other. Returns the exit code: 0, 1 if one failed, or 130 after an interrupt. */
export async function sendMessages(
  host: Host,
  conversation: Conversation,
  messages: readonly string[],
): Promise<number> {
  let isInterrupted = false;
  let hasFailed = false;
  const removeListener = host.onInterrupt(() => {
    isInterrupted = true;
    conversation.stop();
  });
  const print = lineWriter(host.output);
  try {
    for (const message of messages) {
      if (messages.length > 1) print(`user: ${message}`);
      hasFailed = (await conversation.send(message)) === 'failed' || hasFailed;
      if (isInterrupted) return 130;
    }
    return hasFailed ? 1 : 0;
  } finally {
    removeListener();
  }
}
