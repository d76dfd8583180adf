import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { systemRuntime } from '@thole/core';
import type { Environment, Runtime } from '@thole/core';
import { Concierge } from '../concierge.ts';
import { chooseModel } from '../model.ts';
import { readOptions, USAGE } from '../options.ts';
import type { ChatOptions } from '../options.ts';
import { openServices } from '../services.ts';
import type { Services } from '../services.ts';
import { Chat } from './chat.ts';
import { errorLine } from './error-line.ts';
import { plainText } from './plain-text.ts';

export interface Terminal {
  argv: readonly string[];
  /** Decides which model speaks, and where conversations are kept. */
  env: Environment;
  input: Readable & { isTTY?: boolean | undefined };
  output: Writable & { isTTY?: boolean | undefined };
  errors: Writable;
  /** Registers what an interrupt from outside (Ctrl-C) calls. */
  onInterrupt: (listener: () => void) => void;
}

/** A pause between words makes streaming visible to a person; a pipe gets everything at once. */
const WORD_DELAY_MS = 20;

/** The whole program: reads lines until the input ends or somebody quits, and answers the exit code. */
export async function runChat(terminal: Terminal): Promise<number> {
  const { output, errors } = terminal;
  try {
    const options = readOptions(terminal.argv);
    if (options.help) output.write(`${USAGE}\n`);
    if (options.help) return 0;
    const runtime = systemRuntime();
    const { services, close } = await openServices({ memory: options.memory, runtime, env: terminal.env });
    try {
      return await talk(terminal, { ...options, runtime, services });
    } finally {
      await close();
    }
  } catch (error) {
    errors.write(`${errorLine(error)}\n${USAGE}\n`);
    return 1;
  }
}

async function talk(
  { env, input, output, onInterrupt }: Terminal,
  options: ChatOptions & { runtime: Runtime; services: Services },
): Promise<number> {
  const { runtime } = options;
  const interactive = input.isTTY === true && output.isTTY === true;
  const concierge = new Concierge({
    ...options,
    model: chooseModel({ runtime, env, wordDelayMs: interactive && options.streaming ? WORD_DELAY_MS : 0 }),
  });
  const chat = new Chat({ concierge, write: (text) => void output.write(text) });
  const reader = createInterface({
    input,
    output: interactive ? output : undefined,
    terminal: interactive,
    crlfDelay: Infinity,
  });
  // At once: lines that come before anybody iterates would be lost.
  const lines = reader[Symbol.asyncIterator]();

  let left = false;
  const leave = (): void => {
    left = true;
    reader.close();
  };
  const interrupt = (): void => {
    if (!chat.interrupt()) leave();
  };
  // Whoever read the output has left: there is nobody to talk to, which is no failure.
  output.on('error', leave);
  // In a terminal readline takes the key itself; elsewhere the process hears a signal.
  reader.on('SIGINT', interrupt);
  onInterrupt(interrupt);

  output.write(`Hotel concierge\n${concierge.notice}\n`);
  output.write(options.memory ? '' : 'It was started without memory and will remember nothing across conversations.\n');
  output.write(`${plainText(concierge.guest)} is talking. /help lists the commands.\n`);

  const prompt = (): void => {
    reader.setPrompt(`${plainText(concierge.guest)}> `);
    if (interactive) reader.prompt();
  };
  prompt();
  for await (const line of lines) {
    await chat.handle(line);
    if (left || chat.hasQuit) break;
    prompt();
  }
  const kept = await chat.close();
  reader.close();
  input.destroy();
  return kept ? 0 : 1;
}
