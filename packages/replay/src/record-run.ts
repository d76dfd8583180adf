import { access, constants, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { platform } from 'node:process';
import { systemRuntime, TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions, renameWhenFree } from '@thole/core/kit';
import type { Event } from '@thole/core';
import type { ResumeRequest, RunnerOptions, RunRequest } from '@thole/runner';
import type { Recording } from './recording.ts';
import { RunRecorder } from './run-recorder.ts';
import { mapTexts } from './to-json.ts';

/** A request of `Runner.runAsync`, or a request of `Runner.resume`, which has `answers`. */
export type RunOrResume<T = unknown> = RunRequest<T> | ResumeRequest<T>;

/** A request, or a function that receives all earlier events and returns a request, for example with answers to interrupts. */
export type RequestToRecord<T = unknown> = RunOrResume<T> | ((events: readonly Event[]) => RunOrResume<T>);

/** Options of `recordRun`. */
export interface RecordRunOptions {
  /** Path of the file to write. Missing folders are created. Default: the recording is only returned. */
  file?: string | undefined;
  /** Replaces each text of the recording, also ids. Equal texts must have equal replacements. Default: no change. */
  redact?: ((text: string) => string) | undefined;
  /** Called with each event of the runs, also partial ones. `recordRun` throws an error that it throws, and writes no file. */
  onEvent?: ((event: Event) => void) | undefined;
}

const names = optionNames<RecordRunOptions>({ file: true, redact: true, onEvent: true });

/**
 * Runs the requests of one session in order with a new runner, and returns the recording. A run that fails is recorded with its
 * error. The recording contains the session before the first run with its state, messages, model requests and responses, tool
 * arguments and results, results of steps, and events. It never contains headers, keys of providers, `providerOptions`, `deps`, `temp:` state or
 * credentials that a user entered to sign in. Compactions are off. Throws `INVALID_INPUT` for wrong options,
 * and `STORE_UNAVAILABLE` if the file cannot be written, if possible before the first run.
 */
export async function recordRun<T = unknown>(
  options: RunnerOptions,
  requests: RequestToRecord<T> | readonly RequestToRecord<T>[],
  p: RecordRunOptions = {},
): Promise<Recording> {
  rejectUnknownOptions(p, names, 'recordRun');
  const { file, onEvent, redact = (text) => text } = p;
  const list = (Array.isArray(requests) ? requests : [requests]) as readonly RequestToRecord<T>[];
  if (list.length === 0) throw new TholeError('INVALID_INPUT', 'requests must contain at least one request.');
  // Before the runs: an error after them would lose the answers of the models.
  if (typeof redact !== 'function') throw invalidInput('redact', 'a function', redact);
  if (onEvent !== undefined && typeof onEvent !== 'function') throw invalidInput('onEvent', 'a function', onEvent);
  if (file !== undefined) await prepareFile(file);
  const recorder = new RunRecorder<T>(options, (event) => onEvent?.(event));
  try {
    for (const each of list) await recorder.record(each);
  } finally {
    await recorder.close();
  }
  const recording = mapTexts(recorder.toRecording(), redact);
  if (file !== undefined) await writeRecording(file, recording);
  return recording;
}

/** Creates the folder of the file. Throws `STORE_UNAVAILABLE` if the file cannot be written. */
async function prepareFile(file: string): Promise<void> {
  if (typeof file !== 'string' || file === '')
    throw invalidInput('file of recordRun', 'a path that is not empty', file);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory())
    throw new TholeError('INVALID_INPUT', `file of recordRun must be the path of a file, not of a folder: ${file}`);
  try {
    await mkdir(dirname(file), { recursive: true });
    if (found) await access(file, constants.W_OK);
    if (found?.isFile() ?? true) await access(dirname(file), constants.W_OK);
  } catch (cause) {
    const message = `A recording cannot be written to ${file}. Check the path and the rights.`;
    throw new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause });
  }
}

/** Writes the file. If this fails, or the process ends meanwhile, an earlier recording stays unchanged. */
async function writeRecording(file: string, recording: Recording): Promise<void> {
  const text = `${JSON.stringify(recording, null, 2)}\n`;
  try {
    const found = await stat(file).catch(() => undefined);
    if (found && !found.isFile()) await writeFile(file, text);
    else await replaceFile(found ? await realpath(file) : file, text, found?.mode);
  } catch (cause) {
    const message = `The recording could not be written to ${file}. Check the rights and the free space.`;
    throw new TholeError('STORE_UNAVAILABLE', message, { cause });
  }
}

/** Writes a temporary file next to the file, then renames it. */
async function replaceFile(path: string, text: string, mode: number | undefined): Promise<void> {
  const temporary = `${path}.${systemRuntime().newId('recording')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    await renameWhenFree(rename, { from: temporary, to: path, platform });
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
