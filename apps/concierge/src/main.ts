import { codedLine, plainText, readLines, terminalStyle } from '@thole/cli/terminal';
import { systemRuntime } from '@thole/core';
import { lineLogger } from '@thole/server';
import { Concierge } from './concierge.ts';
import { chooseModel } from './model.ts';
import { CHAT_USAGE, readChatOptions } from './options.ts';
import { openServices } from './services.ts';
import { Chat } from './terminal/chat.ts';

/** Pause between the words of the demo model, so that streaming is visible. Not used for a pipe. */
const WORD_DELAY_MS = 20;

const { argv, env, stdin: input, stdout: output, stderr: errorOutput } = process;

try {
  process.exitCode = await runChat();
} catch (error) {
  errorOutput.write(`${codedLine(error)}\n${CHAT_USAGE}\n`);
  process.exitCode = 1;
}

/** Opens model and services, runs the chat until the guest leaves, and returns the exit code. */
async function runChat(): Promise<number> {
  const { help, guest, memory, stream: streaming, verbose } = readChatOptions(argv.slice(2));
  if (help) output.write(`${CHAT_USAGE}\n`);
  if (help) return 0;
  const logger = lineLogger({ level: 'warning', verbose, write: (entry) => void errorOutput.write(`${entry}\n`) });
  const runtime = systemRuntime({ logger });
  const wordDelayMs = input.isTTY && output.isTTY && streaming ? WORD_DELAY_MS : 0;
  const model = chooseModel({ runtime, env, wordDelayMs });
  const { services, close } = await openServices({ memory, model, runtime, env });
  try {
    const concierge = new Concierge({ guest, services, model, streaming, runtime });
    services.start();
    output.write(`Hotel concierge\n${model.notice}\n`);
    if (!memory) output.write('Memory is off. The concierge remembers nothing across conversations.\n');
    output.write(`The guest is ${plainText(guest)}. /help lists the commands.\n`);
    return await readAndAnswer(concierge, verbose);
  } finally {
    await close();
  }
}

/** Reads lines until the input ends or the guest leaves. Returns 1 if the last conversation could not be added to memory. */
async function readAndAnswer(concierge: Concierge, verbose: boolean): Promise<number> {
  const style = terminalStyle(output, env);
  const chat = new Chat({ concierge, style, verbose, write: (text) => void output.write(text) });
  await readLines({
    ...{ input, output, onInterrupt },
    prompt: () => `${concierge.guest}> `,
    stopWork: () => chat.interrupt(),
    async handleLine(line) {
      await chat.handle(line);
      return !chat.hasQuit;
    },
  });
  onInterrupt(() => void chat.interrupt());
  return (await chat.close()) ? 0 : 1;
}

function onInterrupt(listener: () => void): () => void {
  process.on('SIGINT', listener);
  return () => void process.off('SIGINT', listener);
}
