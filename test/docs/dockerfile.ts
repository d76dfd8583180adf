import { cpSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';

/** The result of a build: the folder that is the root of the image, and what its container runs. */
export interface Image {
  workdir: string;
  env: NodeJS.ProcessEnv;
  command: readonly string[];
  healthcheck: readonly string[];
}

type Run = (cwd: string, command: string, env: NodeJS.ProcessEnv) => Promise<unknown>;

/**
 * Runs the steps of a Dockerfile in temporary folders, without Docker: one folder for each stage, with the Node of this machine.
 * Supports only the instructions that our file uses, and throws for others.
 */
export async function buildImage(p: { context: string; folder: string; run: Run }): Promise<Image> {
  const allowed = join(p.folder, 'context');
  copyContext(p.context, allowed);
  const stages = new Map<string, string>();
  let root = '';
  let image: Image = { workdir: '', env: {}, command: [], healthcheck: [] };
  for (const [instruction, argument] of instructionsOf(join(p.context, 'Dockerfile'))) {
    switch (instruction) {
      case 'FROM': {
        const name = / AS (\w+)$/.exec(argument)?.[1] ?? 'final';
        root = join(p.folder, name);
        stages.set(name, root);
        image = { workdir: root, env: {}, command: [], healthcheck: [] };
        break;
      }
      case 'WORKDIR':
        image.workdir = join(root, argument);
        mkdirSync(image.workdir, { recursive: true });
        break;
      case 'ENV':
        Object.assign(image.env, Object.fromEntries(argument.split(' ').map((pair) => pair.split('='))));
        break;
      case 'COPY': {
        const [, from, files] = /^(?:--from=(\w+) )?(.*)$/.exec(argument)!;
        const sources = files!.split(' ');
        const target = join(image.workdir, sources.pop()!);
        for (const source of sources)
          copy(join(from ? stages.get(from)! : allowed, source), target, sources.length > 1);
        break;
      }
      case 'RUN':
        await p.run(image.workdir, argument, image.env);
        break;
      case 'CMD':
        image.command = JSON.parse(argument) as string[];
        break;
      case 'HEALTHCHECK':
        image.healthcheck = JSON.parse(argument.slice(argument.indexOf('['))) as string[];
        break;
      case 'USER':
      case 'EXPOSE':
        break;
      default:
        throw new Error(`The test does not support the instruction ${instruction}.`);
    }
  }
  return image;
}

/** Returns the instructions with their arguments; lines that end with a backslash are joined. */
function instructionsOf(file: string): [string, string][] {
  const lines = readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/** Copies the files that .dockerignore lets through: it begins with `*` and names exceptions. */
function copyContext(context: string, target: string): void {
  const [first, ...exceptions] = readFileSync(join(context, '.dockerignore'), 'utf8').trim().split('\n');
  if (first !== '*') throw new Error('.dockerignore must begin with *.');
  const patterns = exceptions.map((line) => line.slice(1));
  for (const name of readdirSync(context)) {
    if (patterns.some((pattern) => matchesGlob(name, pattern)))
      cpSync(join(context, name), join(target, name), { recursive: true });
  }
}

/** Copies as Docker does: a file into a folder, and the content of a folder into the target. */
function copy(source: string, target: string, isOneOfSeveral: boolean): void {
  const isFolder = globSync('*', { cwd: source }).length > 0;
  const isInto = isOneOfSeveral || target.endsWith('/');
  cpSync(source, isFolder || !isInto ? target : join(target, basename(source)), {
    recursive: true,
    verbatimSymlinks: true,
  });
}
