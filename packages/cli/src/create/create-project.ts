import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { isCancel, select, text } from '@clack/prompts';
import { TholeError } from '@thole/core';
import type { Host } from '../host.ts';
import { shellWord } from '../options/shell-word.ts';
import { usageError } from '../options/usage-error.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { choices, modelChoiceOf } from './model-choice.ts';
import { commandToPack } from './package-ranges.ts';
import { projectFiles } from './project-files.ts';
import type { ModelChoice } from './project-files.ts';

/** Options of `thole create`. */
export interface CreateOptions {
  model?: string | undefined;
  yes?: boolean | undefined;
}

const DEFAULT_NAME = 'hello-agent';
const DEFAULT_MODEL = 'demo';
/** Node does not run TypeScript below a folder `node_modules`. */
const NAME = /^(?!node_modules$)[a-z\d][a-z\d._-]*$/i;
/** Names that Windows reserves for devices, also with an extension, and names that it changes. */
const NOT_ON_WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.$/i;
const WINDOWS_RULE =
  'Windows allows no folder with this name: use a name without a final dot that is not a device such as con or nul.';

/**
 * Creates a project. In a terminal it asks for missing values. Writes nothing before all values are valid. Returns the
 * exit code.
 */
export async function createProject(host: Host, name: string | undefined, options: CreateOptions): Promise<number> {
  const canAsk = host.input.isTTY === true && host.output.isTTY === true && options.yes !== true;
  const print = lineWriter(host.output);
  const givenModel = options.model === undefined ? undefined : modelChoiceOf(options.model);
  if (name !== undefined) await assertFolder(host, name);
  const path = name ?? (canAsk ? await askName(host) : options.yes ? DEFAULT_NAME : undefined);
  if (path === undefined) throw usageError('The name is missing: thole create <name>, or --yes for the defaults.');
  if (path === null) return cancelled(print);
  if (name === undefined) await assertFolder(host, path);
  const choice = givenModel ?? (canAsk ? await askModel(host) : modelChoiceOf(DEFAULT_MODEL));
  if (choice === null) return cancelled(print);
  const folder = resolve(host.cwd, path);
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(projectFiles(basename(folder), choice))) {
    await writeFile(join(folder, file), content, { flag: 'wx' });
  }
  const relativeFolder = relative(host.cwd, folder);
  print(`Created ${basename(folder)}. Next:\n`);
  if (relativeFolder !== '') print(`  cd ${shellWord(relativeFolder)}`);
  const pack = commandToPack();
  if (pack !== undefined) print(`  ${pack}`);
  print('  npm install');
  if (choice.provider !== 'demo')
    print(`  ${process.platform === 'win32' ? 'copy' : 'cp'} .env.example .env      then add your key to .env`);
  print('  npm start                 chat in the browser; npm run chat: in the terminal');
  return 0;
}

/** Throws a usage error for an invalid name, and `INVALID_INPUT` for a folder that is not empty. */
async function assertFolder({ cwd }: Host, path: string): Promise<void> {
  if (path === '') throw usageError('The name must not be empty.');
  const folder = resolve(cwd, path);
  if (!NAME.test(basename(folder))) {
    throw usageError(
      'The name must consist of letters, digits, dots, dashes and underscores, start with a letter or digit, and not be node_modules.',
    );
  }
  // A project is often cloned on another system.
  if (NOT_ON_WINDOWS.test(basename(folder))) throw usageError(WINDOWS_RULE);
  const entries = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return [];
    const isFile = error.code === 'ENOTDIR' && existsSync(folder);
    const sentence = isFile ? `${path} exists and is not a folder.` : `${path} cannot be a folder: ${error.code}.`;
    throw new TholeError('INVALID_INPUT', sentence, { cause: error });
  });
  if (entries.length > 0)
    throw new TholeError('INVALID_INPUT', `The folder ${path} is not empty: choose another name.`);
}

/** Returns null if the user cancels. */
async function askName({ cwd, input, output }: Host): Promise<string | null> {
  const validate = (value: string | undefined): string | undefined => {
    if (value === undefined || value === '') return undefined;
    const name = basename(resolve(cwd, value));
    if (!NAME.test(name)) return 'Use letters, digits, dots, dashes and underscores, but not the name node_modules.';
    return NOT_ON_WINDOWS.test(name) ? WINDOWS_RULE : undefined;
  };
  const answer = await text({
    input,
    output,
    validate,
    message: 'Name of the project',
    placeholder: DEFAULT_NAME,
    defaultValue: DEFAULT_NAME,
  });
  return isCancel(answer) ? null : answer;
}

/** Returns null if the user cancels. */
async function askModel({ input, output }: Host): Promise<ModelChoice | null> {
  const options = choices.map((choice) => ({ value: choice.provider, label: choice.label }));
  const answer = await select({ input, output, message: 'Model', options });
  return isCancel(answer) ? null : modelChoiceOf(answer);
}

function cancelled(print: (line: string) => void): number {
  print('Cancelled. Nothing was created.');
  return 130;
}
