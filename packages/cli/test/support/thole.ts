import { PassThrough, Readable } from 'node:stream';
import type { Runtime } from '@thole/core';
import { main } from '@thole/cli';
import { importNatively } from './import-natively.ts';

export interface Outcome {
  code: number;
  output: string;
  errors: string;
}

export interface TholeOptions {
  cwd?: string | undefined;
  env?: { [name: string]: string | undefined } | undefined;
  /** Standard input. Default: empty. */
  input?: string | Readable | undefined;
  /** True if input and output are terminals. */
  tty?: boolean | undefined;
  runtime?: Runtime | undefined;
  /** Exports of modules by the end of their path. Default: Node imports the modules. */
  modules?: { readonly [ending: string]: unknown } | undefined;
  /** Called with the complete output after each change. */
  onOutput?: ((output: string) => void) | undefined;
  /** Called with the complete error output after each change. */
  onErrors?: ((errors: string) => void) | undefined;
  /** Called at the start with a function that interrupts the command, as Ctrl-C does. */
  onStart?: ((interrupt: () => void) => void) | undefined;
}

/** Runs the command in this process, with strings as streams. */
export async function thole(argv: readonly string[], options: TholeOptions = {}): Promise<Outcome> {
  const { input = '', tty, modules } = options;
  const listeners = new Set<() => void>();
  const interrupt = (): void => {
    for (const each of listeners) each();
  };
  const [output, errors] = [collector(options.onOutput), collector(options.onErrors)];
  options.onStart?.(interrupt);
  const source = typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input;
  const code = await main({
    argv,
    cwd: options.cwd,
    env: options.env ?? {},
    input: Object.assign(source, { isTTY: tty }),
    output: Object.assign(output.stream, { isTTY: tty, columns: 100, rows: 30 }),
    errors: Object.assign(errors.stream, { isTTY: tty, columns: 100 }),
    runtime: options.runtime,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    importModule: modules ? async (url) => moduleOf(modules, url) : importNatively,
  });
  return { code, output: output.text(), errors: errors.text() };
}

function moduleOf(modules: { readonly [ending: string]: unknown }, url: string): unknown {
  const path = decodeURIComponent(new URL(url).pathname);
  const ending = Object.keys(modules).find((each) => path.endsWith(each));
  if (ending === undefined) throw new Error(`The test has no module ${path}.`);
  const module = modules[ending];
  if (module instanceof Error) throw module;
  return typeof module === 'function' ? (module as () => unknown)() : module;
}

function collector(listener: ((text: string) => void) | undefined): { stream: PassThrough; text: () => string } {
  const stream = new PassThrough();
  let all = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    listener?.(all);
  });
  return { stream, text: () => all };
}
