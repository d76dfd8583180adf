import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { EnvVars } from '@thole/core';

/** Reads the `.env` files of agents into the environment. What the environment had before any of them stays as it is. */
export class AgentEnvironment {
  readonly #env: { [name: string]: string | undefined };
  readonly #ours: Set<string> = new Set();

  constructor(env: { [name: string]: string | undefined }) {
    this.#env = env;
  }

  /**
   * Reads those of some folders, the last one before the others. The environment for the agent's models: its own variables, even
   * where another agent's `.env` is read later.
   */
  async load(folders: readonly string[]): Promise<EnvVars> {
    const read = await Promise.all([...new Set(folders)].map(readEnvFile));
    const values = Object.assign({}, ...read) as { [name: string]: string };
    for (const [name, value] of Object.entries(values)) {
      if (this.#env[name] !== undefined && !this.#ours.has(name)) continue;
      this.#ours.add(name);
      this.#env[name] = value;
    }
    const outer = Object.fromEntries(Object.entries(this.#env).filter(([name]) => !this.#ours.has(name)));
    return { ...values, ...outer };
  }
}

async function readEnvFile(folder: string): Promise<{ [name: string]: string | undefined }> {
  const text = await readFile(join(folder, '.env'), 'utf8').catch(() => '');
  return parseEnv(text);
}
