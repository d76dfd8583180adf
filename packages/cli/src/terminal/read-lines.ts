import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Options of `readLines`. */
export interface ReadLinesOptions {
  input: Readable & { isTTY?: boolean | undefined };
  output: Writable & { isTTY?: boolean | undefined };
  /** Returns the text before the cursor. It is shown only if input and output are terminals. */
  prompt: () => string;
  /**
   * Handles a line, without a byte order mark. The next line is handled after the promise resolves; `false` ends
   * reading.
   */
  handleLine: (line: string) => Promise<boolean>;
  /** Stops the current work at Ctrl-C. Returns false if there is no work to stop, which ends reading. */
  stopWork: () => boolean;
  /** Calls the listener at Ctrl-C, until the returned function is called. `SIGTERM` stops the current work and ends reading. */
  onInterrupt: (listener: (signal?: string) => void) => () => void;
}

/**
 * Reads lines from a terminal or a pipe until the input ends, the output is closed, or Ctrl-C is pressed twice during one line.
 * Destroys the input at the end. Later write errors of the output are ignored.
 */
export async function readLines(options: ReadLinesOptions): Promise<void> {
  const { input, output, prompt, handleLine, stopWork, onInterrupt } = options;
  const interactive = input.isTTY === true && output.isTTY === true;
  const reader = createInterface({
    input,
    output: interactive ? output : undefined,
    terminal: interactive,
    crlfDelay: Infinity,
  });
  // Lines that arrive before the iterator exists would be lost.
  const lines = reader[Symbol.asyncIterator]();
  let isEnding = false;
  let isClosed = false;
  let isStopping = false;
  const end = (): void => {
    isEnding = true;
    reader.close();
  };
  const interrupt = (signal?: string): void => {
    isStopping = !isStopping && stopWork() && signal !== 'SIGTERM';
    if (!isStopping) end();
  };
  const showPrompt = (): void => {
    // Lines may remain after the reader was closed. It cannot show a prompt then.
    if (isClosed) return;
    reader.setPrompt(prompt());
    if (interactive) reader.prompt();
  };
  // A pipe whose reader has ended, for example `| head`, is not a failure.
  output.on('error', end);
  reader.on('close', () => (isClosed = true));
  // In a terminal, readline receives the key; otherwise the process receives a signal.
  reader.on('SIGINT', interrupt);
  const removeListener = onInterrupt(interrupt);
  try {
    showPrompt();
    for await (const line of lines) {
      const isContinued = await handleLine(line.replace(/^\uFEFF/u, ''));
      isStopping = false;
      if (isEnding || !isContinued) break;
      showPrompt();
    }
  } finally {
    removeListener();
    reader.close();
    input.destroy();
  }
}
