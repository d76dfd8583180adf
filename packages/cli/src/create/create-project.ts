import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { isCancel, select, text } from '@clack/prompts';
import { TholeError } from '@thole/core';
import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import { linesTo } from '../terminal/write-to.ts';
import { choices, modelChoiceOf } from './model-choice.ts';
import { commandToPack } from './package-ranges.ts';
import { projectFiles } from './project-files.ts';
import type { ModelChoice } from './project-files.ts';

/** What `thole create` was told. */
export interface CreateOptions {
  model?: string | undefined;
  yes?: boolean | undefined;
}

const DEFAULT_NAME = 'hello-agent';
const DEFAULT_MODEL = 'demo';
const NAME = /^[a-z\d][a-z\d._-]*$/i;

/** Makes a project, and asks for what is not given where somebody can answer. Answers the exit code. Nothing is written before all is checked. */
export async function createProject(host: Host, given: string | undefined, options: CreateOptions): Promise<number> {
  const asks = host.input.isTTY === true && host.output.isTTY === true && options.yes !== true;
  const print = linesTo(host.output);
  const chosen = options.model === undefined ? undefined : modelChoiceOf(options.model);
  if (given !== undefined) await assertFolder(host, given);
  const path = given ?? (asks ? await askName(host) : options.yes ? DEFAULT_NAME : undefined);
  if (path === undefined) throw usageError('A project needs a name: thole create <name>, or --yes for the defaults.');
  if (path === null) return cancelled(print);
  if (given === undefined) await assertFolder(host, path);
  const choice = chosen ?? (asks ? await askModel(host) : modelChoiceOf(DEFAULT_MODEL));
  if (choice === null) return cancelled(print);
  const folder = resolve(host.cwd, path);
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(projectFiles(basename(folder), choice))) {
    await writeFile(join(folder, file), content, { flag: 'wx' });
  }
  const where = relative(host.cwd, folder);
  print(`Made ${basename(folder)}. Next:\n`);
  if (where !== '') print(`  cd ${where}`);
  const pack = commandToPack();
  if (pack !== undefined) print(`  ${pack}`);
  print('  npm install');
  if (choice.provider !== 'demo') print('  cp .env.example .env      and put your key into it');
  print('  npm start                 in the browser; npm run chat in the terminal');
  return 0;
}

/** Refuses what cannot be a project's folder: with an odd name, or with something in it. */
async function assertFolder({ cwd }: Host, path: string): Promise<void> {
  const folder = resolve(cwd, path);
  if (!NAME.test(basename(folder))) {
    throw usageError(
      'The name must be letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
    );
  }
  const there = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return [];
    throw new TholeError('INVALID_INPUT', `${path} is there and is no folder.`, { cause: error });
  });
  if (there.length > 0) throw new TholeError('INVALID_INPUT', `${path} is not empty: name another folder.`);
}

/** Null when it was cancelled. */
async function askName({ input, output }: Host): Promise<string | null> {
  const validate = (value: string | undefined): string | undefined =>
    value === undefined || value === '' || NAME.test(basename(value))
      ? undefined
      : 'Letters, digits, dots, dashes and underscores.';
  const answer = await text({
    ...{ input, output, validate, message: 'What is the project called?' },
    ...{ placeholder: DEFAULT_NAME, defaultValue: DEFAULT_NAME },
  });
  return isCancel(answer) ? null : answer;
}

/** Null when it was cancelled. */
async function askModel({ input, output }: Host): Promise<ModelChoice | null> {
  const options = choices.map((choice) => ({ value: choice.provider, label: choice.label }));
  const answer = await select({ input, output, message: 'Which model answers?', options });
  return isCancel(answer) ? null : modelChoiceOf(answer);
}

function cancelled(print: (line: string) => void): number {
  print('Nothing was made.');
  return 130;
}
