import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { packageFlags } from '../../../../test/servers/package-flags.ts';

/** A process that runs a file of the folder `processes` with the sources. */
export type ChildScript = ChildProcessByStdio<null, Readable, null>;

export function startProcess(file: string, ...args: string[]): ChildScript {
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  return spawn(process.execPath, [...flags, join(import.meta.dirname, '../processes', file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Returns the complete lines of the output after the process has ended. */
export async function readOutput(child: ChildScript): Promise<{ lines: string[]; code: number | null }> {
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return { lines: text.split('\n').slice(0, -1), code: child.exitCode };
}
