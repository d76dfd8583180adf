import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { systemRuntime, TholeError } from '@thole/core';
import { assertName, errorFields, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, ChannelHandler, DeliveryReceipt, SendRequest } from '../channel/channel.ts';

/** Options of `TerminalChannel`. */
export interface TerminalChannelOptions {
  /** Default: `terminal`. */
  name?: string | undefined;
  /** Sender of all lines. Default: `me`. */
  sender?: string | undefined;
  /** Default: standard input. Each line is a message. */
  input?: Readable | undefined;
  /** Default: standard output. */
  output?: Writable | undefined;
  /** Shown before the input. Default: `> ` in a terminal, otherwise nothing. */
  prompt?: string | undefined;
  runtime?: Runtime | undefined;
}

const names = optionNames<TerminalChannelOptions>({
  name: true,
  sender: true,
  input: true,
  output: true,
  prompt: true,
  runtime: true,
});
/** Escape sequences and control characters that could change the terminal, except tabs and line ends. */
const CONTROL =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gsu;
const LINE_LIMIT = 1_048_576;
/** Handles `error` events of the output, for example after `| head` has ended. The failed send rejects. */
const ignore = (): void => {};

/**
 * Reads messages from a terminal, one per line, and writes the answers. Pasted lines become one message. A line is lost if the
 * process is killed before it is stored, because a terminal does not deliver it again.
 */
export class TerminalChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly coalesceMs = 50;
  readonly #options: TerminalChannelOptions;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #runtime: Runtime;
  readonly #prompt: string;
  #lines: Interface | undefined;
  #handling: Promise<void> = Promise.resolve();
  /** Resolves after the end of the input. A new one for each start. */
  #ended = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(options: TerminalChannelOptions = {}) {
    rejectUnknownOptions(options, names, 'TerminalChannel');
    this.#options = options;
    this.name = options.name ?? 'terminal';
    if (options.sender !== undefined) assertName('sender', options.sender);
    this.#input = options.input ?? stdin;
    this.#output = options.output ?? stdout;
    this.#runtime = options.runtime ?? systemRuntime();
    const isTerminal = (this.#output as { isTTY?: boolean }).isTTY === true;
    this.#prompt = options.prompt ?? (isTerminal ? '> ' : '');
  }

  /** Resolves when the input has ended, or the channel was stopped, and all lines are stored. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async start(handler: ChannelHandler): Promise<void> {
    if (this.#isStopped && !this.#input.readableEnded) this.#ended = Promise.withResolvers();
    this.#isStopped = false;
    const terminal = (this.#output as { isTTY?: boolean }).isTTY === true;
    const lines = createInterface({
      input: this.#input,
      output: terminal ? this.#output : undefined,
      terminal,
      prompt: this.#prompt,
    });
    this.#lines = lines;
    this.#output.on('error', ignore);
    lines.on('line', (line) => {
      this.#handling = this.#handling.then(() => this.#handle(handler, line));
    });
    const { resolve } = this.#ended;
    lines.once('close', () => void this.#handling.then(resolve));
    this.#ask();
  }

  async stop(): Promise<void> {
    this.#lines?.close();
    this.#lines = undefined;
    await this.#handling;
    this.#output.off('error', ignore);
    this.#isStopped = true;
    this.#ended.resolve();
  }

  async send({ message }: SendRequest): Promise<DeliveryReceipt> {
    const files = (message.files ?? []).map(({ mimeType, name }) => `[${name ?? 'file'}: ${mimeType}]`);
    const text = [message.text, ...files].filter((line) => line !== '').join('\n');
    await this.#write(`${this.#prompt === '' ? '' : '\r'}${text.replace(CONTROL, '')}\n`);
    this.#ask();
    return {};
  }

  /** Passes a line to the handler. Never rejects. */
  async #handle(handler: ChannelHandler, line: string): Promise<void> {
    if (line.trim() === '') return this.#ask();
    // Lines have no id, so each line is a new message.
    const id = `${Math.round(this.#runtime.now() * 1_000)}-${this.#runtime.newId('line')}`;
    const text = line.slice(0, LINE_LIMIT);
    try {
      const sender = this.#options.sender ?? 'me';
      await handler.onMessage({ channel: this.name, sender, id, text, sentAt: this.#runtime.now() });
    } catch (error) {
      if (!TholeError.is(error)) this.#runtime.logger.error('A line was not stored.', { ...errorFields(error) });
      const reason = TholeError.is(error) ? error.message : 'It could not be stored. Please type it again.';
      await this.#write(`The line was not accepted. ${reason}\n`).catch(() => {});
      this.#ask();
    }
  }

  #ask(): void {
    if (this.#prompt !== '') this.#lines?.prompt(true);
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#output.destroyed || this.#output.writableEnded)
        return reject(new TholeError('CHANNEL_UNAVAILABLE', 'The output of the terminal is closed.'));
      this.#output.write(text, (cause) => {
        if (cause) reject(new TholeError('CHANNEL_UNAVAILABLE', 'The output of the terminal failed.', { cause }));
        else resolve();
      });
    });
  }
}
