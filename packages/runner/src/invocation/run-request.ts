import { TholeError } from '@thole/core';
import {
  assertContent,
  assertName,
  didYouMean,
  failInvalidJson,
  invalidInput,
  isPlainObject,
  JsonCopier,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { Content, Part, RunConfig, StateDelta } from '@thole/core';

/** What `runAsync` is given, as the caller wrote it. */
export interface RunInput {
  userId: string;
  /** Without one the run creates a session. */
  sessionId?: string | undefined;
  newMessage: string | Content;
  stateDelta?: StateDelta | undefined;
  runConfig?: RunConfig | undefined;
}

export interface CheckedInput {
  message: Content & { parts: Part[] };
  stateDelta: StateDelta;
}

/** Everything that can be wrong before the session is touched: `INVALID_INPUT`, with nothing stored. */
export function checkRunInput(
  p: RunInput,
  { appName, sessionId }: { appName: string; sessionId: string },
): CheckedInput {
  if (typeof p !== 'object' || p === null)
    throw invalidInput('The argument of runAsync', 'an object with userId and newMessage', p);
  rejectUnknownOptions(p, INPUT, 'runAsync');
  // A caller may hand in a whole session reference, of this app.
  const given: unknown = (p as { appName?: unknown }).appName;
  if (given !== undefined && given !== appName)
    throw new TholeError('INVALID_INPUT', `appName must be that of the runner, "${appName}", or be left out.`);
  assertName('userId', p.userId);
  assertName('sessionId', sessionId);
  assertRunConfig(p.runConfig);
  const message = toMessage(p.newMessage);
  if (p.stateDelta !== undefined && !isPlainObject(p.stateDelta))
    throw invalidInput('stateDelta', 'an object', p.stateDelta);
  const copier = new JsonCopier(failInvalidJson);
  return {
    message: copier.copy(message, 'newMessage') as unknown as Content & { parts: Part[] },
    stateDelta: p.stateDelta ? (copier.copy(p.stateDelta, 'stateDelta') as StateDelta) : {},
  };
}

function toMessage(given: string | Content): Content {
  if (typeof given === 'string') {
    if (given === '') throw new TholeError('INVALID_INPUT', 'newMessage must not be empty.');
    return { role: 'user', parts: [{ text: given }] };
  }
  assertContent(given, 'newMessage');
  if (given.role === 'model') throw new TholeError('INVALID_INPUT', `newMessage.role must be 'user'.`);
  if (given.parts.some((part) => part.functionCall)) {
    throw new TholeError('INVALID_INPUT', 'newMessage must not hold a functionCall: only models call.');
  }
  return given.role === 'user' ? given : { ...given, role: 'user' };
}

const INPUT = [
  'appName',
  'userId',
  'sessionId',
  'newMessage',
  'stateDelta',
  'runConfig',
  'abortSignal',
  'yieldUserMessage',
  'deps',
];
const MODES = ['none', 'sse'];
const READERS = ['attached', 'detached'];
const DURATIONS = ['idleLimitMs', 'cleanupMs', 'timeLimitMs', 'toolTimeoutMs'] as const;
const COUNTS = ['maxLlmCalls', 'maxParallelTools'] as const;
const TOOL_ERRORS = ['message', 'redacted'];
const OTHERS = ['streamingMode', 'reader', 'toolErrors', 'saveInputBlobsAsArtifacts', 'customMetadata'];
const OPTIONS: ReadonlySet<string> = new Set([...DURATIONS, ...COUNTS, ...OTHERS]);

function assertRunConfig(config: unknown): void {
  if (config === undefined) return;
  if (!isPlainObject(config)) throw invalidInput('runConfig', 'an object', config);
  for (const name in config)
    if (!OPTIONS.has(name))
      throw new TholeError('INVALID_INPUT', `runConfig has no option ${name}.${didYouMean(name, [...OPTIONS])}`);
  assertOneOf(config, 'streamingMode', MODES);
  assertOneOf(config, 'reader', READERS);
  assertOneOf(config, 'toolErrors', TOOL_ERRORS);
  for (const name of DURATIONS) {
    const value = config[name];
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      throw invalidInput(`runConfig.${name}`, 'a number of milliseconds above 0', value);
  }
  for (const name of COUNTS) {
    const value = config[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) > 0))
      throw invalidInput(`runConfig.${name}`, 'an integer ≥ 1', value);
  }
  const metadata = config['customMetadata'];
  if (metadata !== undefined && !isPlainObject(metadata))
    throw invalidInput('runConfig.customMetadata', 'an object', metadata);
}

function assertOneOf(config: { [key: string]: unknown }, name: string, values: readonly string[]): void {
  const value = config[name];
  if (value === undefined || values.includes(value as string)) return;
  const expected = values.map((each) => `'${each}'`).join(' or ');
  throw new TholeError('INVALID_INPUT', `runConfig.${name} must be ${expected}.`);
}
