import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { usageError } from '../options/usage-error.ts';

/** A module that should export an agent. */
export interface AgentModule {
  /** Default name of the app. */
  name: string;
  /** Absolute path without symbolic links. */
  file: string;
  /** Folder of the module and its `.env` file. */
  folder: string;
  /** True if the module may be unrelated to agents. Then it is not an error that it exports no agent. */
  isGuess?: boolean | undefined;
}

/** A path with agents, for `thole web` and `thole run`. */
export interface AgentLocation {
  /** The path as typed. */
  path: string;
  /** Folder whose modules are imported again when they change. */
  root: string;
  agents: AgentModule[];
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];
const ENTRIES = ['agent', 'index'].flatMap((name) => EXTENSIONS.map((extension) => name + extension));
const NO_AGENT = /\.(?:d|test|spec|config)\.[cm]?[jt]s$/;
/** The names of `export const a`, `export { b, c }` and `export default`. */
const EXPORTED = /^export\s+(?:(?:const|let|var)\s+(\w+)|\{([^}]*)\}|(default)\b)/gm;
const IGNORED = /^(?:\.|node_modules$|dist$)/;

/**
 * Finds the agents of a path, ordered by name: a file; a folder with `agent.ts` or `index.ts`; or a folder of such
 * folders and of files that export `rootAgent`, `app`, `runner` or a default. Nothing is imported. Throws a usage error
 * for an unknown path.
 */
export async function findAgents(cwd: string, path: string): Promise<AgentLocation> {
  const root = await realpath(resolve(cwd, path)).catch(() => {
    throw usageError(`There is no file or folder ${path}.`);
  });
  if ((await stat(root)).isFile()) return { path, root: dirname(root), agents: [agentOfFile(root)] };
  const agent = await agentOfFolder(root);
  return { path, root, agents: agent ? [agent] : await agentsIn(root) };
}

async function agentsIn(root: string): Promise<AgentModule[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const modules = await Promise.all(
    entries
      .filter(({ name }) => !IGNORED.test(name))
      .map(async (entry) => {
        const path = await realpath(join(root, entry.name)).catch(() => undefined);
        if (path === undefined) return undefined;
        return (await stat(path)).isDirectory() ? guessAgentOfFolder(path) : guessAgentOfFile(path);
      }),
  );
  const found = modules.filter((each) => each !== undefined);
  // A symbolic link may name an agent of the folder again.
  const unique = new Map(found.map((each) => [each.file, each]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function agentOfFolder(folder: string): Promise<AgentModule | undefined> {
  const files = new Set(await readdir(folder));
  const entry = ENTRIES.find((each) => files.has(each));
  return entry === undefined ? undefined : { name: basename(folder), file: join(folder, entry), folder };
}

/** Returns the agent of a folder. With `index.ts` it is a guess, because folders without agents have an index too. */
async function guessAgentOfFolder(folder: string): Promise<AgentModule | undefined> {
  const module = await agentOfFolder(folder);
  return module && basename(module.file).startsWith('index.') ? { ...module, isGuess: true } : module;
}

function agentOfFile(file: string): AgentModule {
  const folder = dirname(file);
  const name = basename(file, extname(file));
  return { name: ['agent', 'index'].includes(name) ? basename(folder) : name, file, folder };
}

async function guessAgentOfFile(file: string): Promise<AgentModule | undefined> {
  if (!EXTENSIONS.includes(extname(file)) || NO_AGENT.test(file)) return undefined;
  const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/u, '');
  const names = [...text.matchAll(EXPORTED)].flatMap(([, ...lists]) => lists.join(' ').match(/\w+/g) ?? []);
  if (names.includes('rootAgent')) return agentOfFile(file);
  const isGuess = names.some((name) => ['app', 'runner', 'default'].includes(name));
  return isGuess ? { ...agentOfFile(file), isGuess } : undefined;
}
