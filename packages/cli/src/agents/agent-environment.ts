import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { EnvVars } from '@thole/core';

/** Reads `.env` files into the environment. Variables that already exist are never replaced. */
export class AgentEnvironment {
  readonly #env: { [name: string]: string | undefined };
  /** Names of variables that come from `.env` files. */
  readonly #added: Set<string> = new Set();

  constructor(env: { [name: string]: string | undefined }) {
    this.#env = env;
  }

  /**
   * Reads the `.env` files of folders; later folders take precedence. Returns the variables for the agent's models.
   * They do not change when the `.env` file of another agent is read later.
   */
  async load(folders: readonly string[]): Promise<EnvVars> {
    const files = await Promise.all([...new Set(folders)].map(readEnvFile));
    const values = Object.assign({}, ...files) as { [name: string]: string };
    for (const [name, value] of Object.entries(values)) {
      if (this.#env[name] !== undefined && !this.#added.has(name)) continue;
      this.#added.add(name);
      this.#env[name] = value;
    }
    const existing = Object.fromEntries(Object.entries(this.#env).filter(([name]) => !this.#added.has(name)));
    return { ...values, ...existing };
  }
}

async function readEnvFile(folder: string): Promise<{ [name: string]: string | undefined }> {
  const bytes = await readFile(join(folder, '.env')).catch(() => new Uint8Array());
  // `>` of PowerShell on Windows writes UTF-16. The decoder removes the byte order mark.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return parseEnv(new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes));
}
