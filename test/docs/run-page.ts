import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, filesOf } from './page.ts';
import type { ShownCommand } from './page.ts';

export interface PageOptions {
  /** The user's project. The files of the page are written into it. */
  folder: string;
  /** Replaces 8000 in the commands, because another program may use that port. */
  port: number;
  env?: NodeJS.ProcessEnv;
  /** Changes a file as the page instructs the reader. */
  edit?: (text: string) => string;
}

const LIMIT_MS = 60_000;

/** Follows a page: writes its files and runs its commands. Returns the commands with what they printed. */
export async function runPage(page: string, { folder, port, env = {}, edit }: PageOptions): Promise<ShownCommand[]> {
  for (const { name, text } of filesOf(page)) writeFileSync(join(folder, name), edit?.(text) ?? text);
  const servers: RunningCommand[] = [];
  const results: ShownCommand[] = [];
  try {
    for (const { command, output } of commandsOf(page)) {
      const running = start(command.replaceAll(':8000', `:${port}`), folder, { ...env, PORT: `${port}` });
      const wanted = output.replaceAll(':8000', `:${port}`);
      const isServer = /^node (?:serve|web-page|openai-endpoint|ag-ui|use-chat)\.ts/.test(command);
      if (isServer) servers.push(running);
      await (isServer ? running.printed(wanted) : running.ended);
      results.push({ command, output: running.output().replaceAll(`:${port}`, ':8000') });
    }
  } finally {
    for (const server of servers) server.stop();
  }
  await Promise.all(servers.map(({ ended }) => ended));
  return results;
}

interface RunningCommand {
  output(): string;
  /** Resolves when the output is this text, or when the command has ended. */
  printed(text: string): Promise<void>;
  /** Rejects if the command failed. */
  ended: Promise<void>;
  stop(): void;
}

/** Starts a command as in a terminal, without the keys of the machine's user. */
function start(command: string, cwd: string, env: NodeJS.ProcessEnv): RunningCommand {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)/.test(name),
  );
  const options = { cwd, env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env }, timeout: LIMIT_MS };
  // `exec` makes the command the child itself, so that a signal reaches it.
  const child = spawn('sh', ['-c', command.startsWith('node ') ? `exec ${command}` : command], options);
  let [output, errors] = ['', ''];
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
    for (const listener of listeners) listener();
  });
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0 || isStopped) resolve();
      else reject(new Error(`"${command.trim()}" ended with ${code ?? signal}: ${output}${errors}`));
    });
  });
  let isStopped = false;
  return {
    output: () => output,
    ended,
    printed: (text) =>
      Promise.race([ended, new Promise<void>((resolve) => listeners.add(() => output === text && resolve()))]),
    stop() {
      isStopped = true;
      child.kill('SIGTERM');
    },
  };
}
