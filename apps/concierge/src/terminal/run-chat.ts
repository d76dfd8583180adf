import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { systemRuntime } from '@thole/core';
import type { EnvVars } from '@thole/core';
import { lineLogger } from '@thole/server';
import { Concierge } from '../concierge.ts';
import { chooseModel } from '../model.ts';
import { readOptions, usageOf } from '../options.ts';
import { openServices } from '../services.ts';
import { Chat } from './chat.ts';
import { errorLine } from './error-line.ts';
import { lookFor } from './look.ts';
import { plainText } from './plain-text.ts';

export interface Terminal {
  argv: readonly string[];
  /** Determines the model and the database. */
  env: EnvVars;
  input: Readable & { isTTY?: boolean | undefined };
  output: Writable & { isTTY?: boolean | undefined };
  errors: Writable;
  /** Registers a listener for Ctrl-C. */
  onInterrupt: (listener: () => void) => void;
}

/** A pause between words makes streaming visible. A pipe gets everything at once. */
const WORD_DELAY_MS = 20;

/** The whole program: reads lines until the input ends or the guest quits, and returns the exit code. */
export async function runChat(terminal: Terminal): Promise<number> {
  const { argv, env, input, output, errors } = terminal;
  try {
    const options = readOptions('chat', argv);
    if (options.help) output.write(`${usageOf('chat')}\n`);
    if (options.help) return 0;
    const { verbose } = options;
    const logger = lineLogger({ level: 'warning', verbose, write: (entry) => void errors.write(`${entry}\n`) });
    const runtime = systemRuntime({ logger });
    const isSeen = input.isTTY === true && output.isTTY === true && options.streaming;
    const model = chooseModel({ runtime, env, wordDelayMs: isSeen ? WORD_DELAY_MS : 0 });
    const { services, close } = await openServices({ memory: options.memory, model, runtime, env });
    try {
      const concierge = new Concierge({ ...options, services, model, runtime });
      services.begin();
      return await talk(terminal, concierge, verbose);
    } finally {
      await close();
    }
  } catch (error) {
    errors.write(`${errorLine(error)}\n${usageOf('chat')}\n`);
    return 1;
  }
}

async function talk(
  { env, input, output, onInterrupt }: Terminal,
  concierge: Concierge,
  verbose: boolean,
): Promise<number> {
  const interactive = input.isTTY === true && output.isTTY === true;
  const chat = new Chat({ concierge, verbose, look: lookFor(output, env), write: (text) => void output.write(text) });
  const reader = createInterface({
    input,
    output: interactive ? output : undefined,
    terminal: interactive,
    crlfDelay: Infinity,
  });
  // At once: lines that arrive before the iteration begins would be lost.
  const lines = reader[Symbol.asyncIterator]();

  let left = false;
  const leave = (): void => {
    left = true;
    reader.close();
  };
  const interrupt = (): void => {
    if (!chat.interrupt()) leave();
  };
  // The reader of the output has left, which is not an error.
  output.on('error', leave);
  // In a terminal readline handles the key; otherwise the process receives a signal.
  reader.on('SIGINT', interrupt);
  onInterrupt(interrupt);

  output.write(`Hotel concierge\n${concierge.notice}\n`);
  output.write(
    concierge.remembers ? '' : 'It was started without memory and will remember nothing across conversations.\n',
  );
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
