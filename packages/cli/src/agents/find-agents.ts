import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { usageError } from '../options/usage-error.ts';

/** A module that should export an agent. */
export interface FoundAgent {
  /** What the app is called unless it says so itself. */
  name: string;
  /** Absolute, without symbolic links. */
  file: string;
  /** Where its `.env` is. */
  folder: string;
  /** Found by a name that others use too: when it exports no agent, it means something else. */
  maybe?: boolean | undefined;
}

/** Where agents are and which: what `thole web` and `thole run` work on. */
export interface AgentPlace {
  /** As it was asked for. */
  path: string;
  /** Below it modules are loaded anew when they change. */
  root: string;
  agents: FoundAgent[];
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];
const ENTRIES = ['agent', 'index'].flatMap((name) => EXTENSIONS.map((extension) => name + extension));
const NO_AGENT = /\.(?:d|test|spec|config)\.[cm]?[jt]s$/;
/** The names of `export const a`, `export { b, c }` and `export default`. */
const EXPORTED = /^export\s+(?:(?:const|let|var)\s+(\w+)|\{([^}]*)\}|(default)\b)/gm;
const LEFT_OUT = /^(?:\.|node_modules$|dist$)/;

/**
 * The agents of a path: a file; a folder with `agent.ts` or `index.ts`; or a folder of such folders and of files that export
 * `rootAgent`, `app`, `runner` or a default. Only files that say so in their text are imported later. By name.
 */
export async function findAgents(cwd: string, path: string): Promise<AgentPlace> {
  const asked = resolve(cwd, path);
  const place = await realpath(asked).catch(() => {
    throw usageError(`There is no file or folder ${path}.`);
  });
  if ((await stat(place)).isFile()) return { path, root: dirname(place), agents: [agentOfFile(place)] };
  const own = await agentOfFolder(place);
  return { path, root: place, agents: own ? [own] : await agentsIn(place) };
}

async function agentsIn(root: string): Promise<FoundAgent[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !LEFT_OUT.test(name))
      .map(async (entry) => {
        const path = await realpath(join(root, entry.name)).catch(() => undefined);
        if (path === undefined) return undefined;
        return (await stat(path)).isDirectory() ? maybeAgentOfFolder(path) : maybeAgent(path);
      }),
  );
  return found.filter((each) => each !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function agentOfFolder(folder: string): Promise<FoundAgent | undefined> {
  const files = new Set(await readdir(folder));
  const entry = ENTRIES.find((each) => files.has(each));
  return entry === undefined ? undefined : { name: basename(folder), file: join(folder, entry), folder };
}

/** Folders of tools have an index too. */
async function maybeAgentOfFolder(folder: string): Promise<FoundAgent | undefined> {
  const found = await agentOfFolder(folder);
  return found && basename(found.file).startsWith('index.') ? { ...found, maybe: true } : found;
}

function agentOfFile(file: string): FoundAgent {
  const folder = dirname(file);
  const name = basename(file, extname(file));
  return { name: ['agent', 'index'].includes(name) ? basename(folder) : name, file, folder };
}

async function maybeAgent(file: string): Promise<FoundAgent | undefined> {
  if (!EXTENSIONS.includes(extname(file)) || NO_AGENT.test(file)) return undefined;
  const text = await readFile(file, 'utf8');
  const names = [...text.matchAll(EXPORTED)].flatMap(([, ...lists]) => lists.join(' ').match(/\w+/g) ?? []);
  if (names.includes('rootAgent')) return agentOfFile(file);
  const guessed = names.some((name) => ['app', 'runner', 'default'].includes(name));
  return guessed ? { ...agentOfFile(file), maybe: true } : undefined;
}
