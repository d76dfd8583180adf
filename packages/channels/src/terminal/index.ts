import type { Readable, Writable } from 'node:stream';
import type { Channel } from '../channel/channel.ts';

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
}

/** Reads messages from a terminal, one per line, and writes the answers. */
export declare class TerminalChannel {
  constructor(options?: TerminalChannelOptions);
  /** Resolves when the input has ended. */
  readonly ended: Promise<void>;
}
export declare interface TerminalChannel extends Channel {}
