import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutSettings } from './environment.ts';
import { packageFlags } from '../../../test/servers/package-flags.ts';

/** The result of `talkByPipe`: exit code and output of the app. */
export interface Talk {
  code: number | null;
  output: string;
  errors: string;
  /** The answers of the concierge without lines of tools and commands. */
  answers: string[];
}

/** Options of `talkByPipe`. */
export interface TalkOptions {
  args?: readonly string[] | undefined;
  /** Added to an environment without keys and with a separate data folder. */
  env?: { readonly [name: string]: string } | undefined;
  /** Called with all output so far after each new output. */
  onOutput?:
    | ((output: string, child: { signal(name: NodeJS.Signals): void; write(text: string): void }) => void)
    | undefined;
  /** Leaves the input open. */
  keepOpen?: boolean | undefined;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs the app in a separate process with this text as its input until it ends. */
export function talkByPipe(
  input: string,
  { args = [], env = {}, onOutput, keepOpen }: TalkOptions = {},
): Promise<Talk> {
  const folder = mkdtempSync(join(tmpdir(), 'thole-concierge-'));
  const talk = new Promise<Talk>((resolve, reject) => {
    const child = spawn(process.execPath, [...packageFlags, '--disable-warning=ExperimentalWarning', main, ...args], {
      stdio: 'pipe',
      env: { ...withoutSettings, THOLE_DATA: folder, ...env },
    });
    let output = '';
    let errors = '';
    const handle = {
      signal: (name: NodeJS.Signals) => void child.kill(name),
      write: (text: string) => void child.stdin.write(text),
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      onOutput?.(output, handle);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text));
    // The process may exit before it has read everything.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors, answers: findAnswers(output) }));
    if (keepOpen) child.stdin.write(input);
    else child.stdin.end(input);
  });
  return talk.finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** Returns one input with these lines. */
export const lines = (...texts: string[]): string => texts.map((line) => `${line}\n`).join('');

function findAnswers(output: string): string[] {
  return output
    .split(/^concierge: /mu)
    .slice(1)
    .map((text) => text.split('\n')[0]!);
}
