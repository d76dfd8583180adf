import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { systemRuntime } from '@thole/core';
import type { EnvVars, Runtime } from '@thole/core';

/** What a command takes from its surroundings. */
export interface Host {
  /** What was typed after `thole`. */
  argv: readonly string[];
  /** Variables of a `.env` file are added to it; what is set already stays. */
  env: EnvVars & { [name: string]: string | undefined };
  /** Relative paths begin here. */
  cwd: string;
  input: Readable & { isTTY?: boolean | undefined };
  output: Writable & { isTTY?: boolean | undefined };
  errors: Writable & { isTTY?: boolean | undefined };
  runtime: Runtime;
  /** Calls the listener when somebody asks the program to stop (Ctrl-C, SIGTERM), until the answered function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Imports a module by its URL, as the platform does. */
  importModule(url: string): Promise<unknown>;
}

/** What `main` is given; what is left out is the process's own. */
export type MainOptions = { readonly [name in keyof Host]?: Host[name] | undefined };

/** The process's own surroundings, with some of them replaced. */
export function hostOf(options: MainOptions): Host {
  return {
    argv: options.argv ?? process.argv.slice(2),
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    errors: options.errors ?? process.stderr,
    runtime: options.runtime ?? systemRuntime(),
    onInterrupt: options.onInterrupt ?? onSignal,
    importModule: options.importModule ?? ((url) => import(url)),
  };
}

function onSignal(listener: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
