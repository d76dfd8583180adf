import type { Writable } from 'node:stream';
import { codedLine, plainText, readLines, terminalStyle } from '@thole/cli/terminal';
import type { ReadLinesOptions } from '@thole/cli/terminal';
import { systemRuntime } from '@thole/core';
import type { EnvVars } from '@thole/core';
import { lineLogger } from '@thole/server';
import { Concierge } from '../concierge.ts';
import { chooseModel } from '../model.ts';
import { CHAT_USAGE, readChatOptions } from '../options.ts';
import { openServices } from '../services.ts';
import { Chat } from './chat.ts';

/** The terminal or the pipes of the program. */
export interface Terminal extends Pick<ReadLinesOptions, 'input' | 'output' | 'onInterrupt'> {
  argv: readonly string[];
  /** Determines the model and the database. */
  env: EnvVars;
  errors: Writable;
}

/** A pause between words makes streaming visible. A pipe gets everything at once. */
const WORD_DELAY_MS = 20;

/** The whole program: reads lines until the input ends or the guest quits, and returns the exit code. */
export async function runChat(terminal: Terminal): Promise<number> {
  const { argv, env, input, output, errors } = terminal;
  try {
    const { help, guest, memory, stream: streaming, verbose } = readChatOptions(argv);
    if (help) output.write(`${CHAT_USAGE}\n`);
    if (help) return 0;
    const logger = lineLogger({ level: 'warning', verbose, write: (entry) => void errors.write(`${entry}\n`) });
    const runtime = systemRuntime({ logger });
    const isSeen = input.isTTY === true && output.isTTY === true && streaming;
    const model = chooseModel({ runtime, env, wordDelayMs: isSeen ? WORD_DELAY_MS : 0 });
    const { services, close } = await openServices({ memory, model, runtime, env });
    try {
      const concierge = new Concierge({ guest, services, model, streaming, runtime });
      services.begin();
      output.write(`Hotel concierge\n${model.notice}\n`);
      if (!memory) output.write('Memory is off. The concierge remembers nothing across conversations.\n');
      return await talk(terminal, concierge, verbose);
    } finally {
      await close();
    }
  } catch (error) {
    errors.write(`${codedLine(error)}\n${CHAT_USAGE}\n`);
    return 1;
  }
}

async function talk(terminal: Terminal, concierge: Concierge, verbose: boolean): Promise<number> {
  const { env, input, output, onInterrupt } = terminal;
  const style = terminalStyle(output, env);
  const chat = new Chat({ concierge, verbose, style, write: (text) => void output.write(text) });
  output.write(`${plainText(concierge.guest)} is talking. /help lists the commands.\n`);
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
