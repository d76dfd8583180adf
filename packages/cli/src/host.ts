import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { systemRuntime } from '@thole/core';
import type { EnvVars, Runtime } from '@thole/core';

/** The environment in which a command runs. Tests replace parts of it. */
export interface Host {
  /** Arguments after `thole`. */
  argv: readonly string[];
  /** Environment variables. Variables of `.env` files are added; existing ones stay. */
  env: EnvVars & { [name: string]: string | undefined };
  /** Working directory, in which relative paths start. */
  cwd: string;
  input: Readable & { isTTY?: boolean | undefined };
  output: Writable & { isTTY?: boolean | undefined };
  errors: Writable & { isTTY?: boolean | undefined };
  runtime: Runtime;
  /** Calls the listener at Ctrl-C and SIGTERM with the name of the signal, until the returned function is called. */
  onInterrupt(listener: (signal?: string) => void): () => void;
  /** Imports a module by its URL. */
  importModule(url: string): Promise<unknown>;
}

/** True if the stacks of errors are written. */
export function isVerbose({ argv }: Pick<Host, 'argv'>): boolean {
  return argv.includes('--verbose');
}

/** Options of `main`. Each replaces a part of the process's environment, which is the default. */
export type MainOptions = { readonly [name in keyof Host]?: Host[name] | undefined };

/** Returns the environment of the process, with the given parts replaced. */
export function createHost(options: MainOptions): Host {
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

function onSignal(listener: (signal?: string) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
