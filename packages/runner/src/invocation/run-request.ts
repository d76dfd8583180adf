import { TholeError } from '@thole/core';
import {
  answerEventId,
  assertContent,
  assertCount,
  assertDuration,
  assertName,
  failInvalidJson,
  invalidInput,
  isPlainObject,
  isRuntimeMetadata,
  JsonCopier,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { Content, Json, Part, RunConfig, RunLimits, SessionRef, StateDelta } from '@thole/core';

/** Arguments of `runAsync`. */
export interface RunRequest<T = unknown> {
  userId: string;
  /** Default: the run creates a session. `run.sessionId` is its id. */
  sessionId?: string | undefined;
  /** Text or content. Its function responses answer interrupts and continue their invocation. Optional only with `invocationId`. */
  newMessage?: string | Content | undefined;
  /** Invocation to continue. Default: the invocation of the function responses in `newMessage`, otherwise a new one. */
  invocationId?: string | undefined;
  /**
   * Id of the message, and of its event. If the session contains a message with this id, the run yields the stored events of its
   * invocation, and follows the invocation if it is active. If the process of the invocation has died, the run continues it.
   * Throws `MESSAGE_ID_TAKEN` if that message has other content, and `INVOCATION_ENDED` if the app cannot resume the invocation.
   * Answers to interrupts do not need it: each answer is accepted once.
   */
  messageId?: string | undefined;
  /** Name of the person who answers, in `customMetadata.answeredBy` of the stored answers. Default: `userId`. */
  answeredBy?: string | undefined;
  /** State that is stored with the message. `temp:` keys live as long as the run and are not stored. */
  stateDelta?: StateDelta | undefined;
  runConfig?: RunConfig | undefined;
  /** Stops the run with `RUN_ABORTED`. */
  abortSignal?: AbortSignal | undefined;
  /** True to yield the user's event too. */
  yieldUserMessage?: boolean | undefined;
  /** Objects for tools and callbacks, as `context.deps`. Never stored. */
  deps?: T | undefined;
}

/** Arguments of `resume`. */
export interface ResumeRequest<T = unknown> extends Omit<RunRequest<T>, 'sessionId' | 'newMessage'> {
  sessionId: string;
  /**
   * Answers by id of the interrupt. A confirmation takes true, false or `{confirmed, payload?, editedArguments?}`; input takes a
   * value that fits its schema; a long-running call takes its result; a sign-in takes ADK's auth config with the response.
   */
  answers?: { readonly [interruptId: string]: Json } | undefined;
}

/** The methods of a runner that start a run. */
export type RunMethod = 'runAsync' | 'resume' | 'runEphemeral' | 'regenerate';

/** A validated request. Message and state are copies. */
export interface CheckedRequest {
  message: Content & { parts: Part[] };
  stateDelta: StateDelta;
}

/** Throws `INVALID_INPUT` for a wrong request. Called before the session is used, so nothing is stored. */
export function checkRunRequest(
  request: RunRequest,
  { appName, sessionId }: SessionRef,
  method: RunMethod = 'runAsync',
): CheckedRequest {
  if (typeof request !== 'object' || request === null)
    throw invalidInput(`The argument of ${method}`, 'an object with userId and newMessage', request);
  rejectUnknownOptions(request, namesOf[method], method);
  assertOwnApp(request, appName);
  assertName('userId', request.userId);
  assertName('sessionId', sessionId);
  assertRunConfig(request.runConfig);
  if (request.invocationId !== undefined) assertName('invocationId', request.invocationId);
  if (request.messageId !== undefined) assertMessageId(request.messageId);
  if (request.answeredBy !== undefined) assertName('answeredBy', request.answeredBy);
  assertSignal(request.abortSignal);
  const isEmpty = method === 'resume' && request.newMessage === undefined;
  const message = isEmpty ? { role: 'user' as const, parts: [] } : toMessage(request.newMessage);
  if (request.stateDelta !== undefined && !isPlainObject(request.stateDelta))
    throw invalidInput('stateDelta', 'an object', request.stateDelta);
  const copier = new JsonCopier(failInvalidJson);
  return {
    message: copier.copy(message, 'newMessage') as unknown as Content & { parts: Part[] },
    stateDelta: request.stateDelta ? (copier.copy(request.stateDelta, 'stateDelta') as StateDelta) : {},
  };
}

/** Throws `INVALID_INPUT` for another app. Callers may spread a session reference with `appName` into a request. */
export function assertOwnApp(request: object, appName: string): void {
  const requestApp = (request as { appName?: unknown }).appName;
  if (requestApp !== undefined && requestApp !== appName)
    throw new TholeError('INVALID_INPUT', `appName must be "${appName}", the app of the runner, or must be left out.`);
}

function assertSignal(signal: AbortSignal | null | undefined): void {
  if (signal === undefined || signal === null) return;
  if (typeof signal.aborted === 'boolean' && typeof signal.addEventListener === 'function') return;
  throw invalidInput('abortSignal', 'an AbortSignal', signal);
}

/** A message must not have the event id of an answer to an interrupt, because the store keeps only the first event with an id. */
function assertMessageId(messageId: string): void {
  assertName('messageId', messageId);
  if (!messageId.endsWith(answerEventId(''))) return;
  throw new TholeError('INVALID_INPUT', `messageId must not end with "${answerEventId('')}": answers have such ids.`);
}

const requestNames = optionNames<RunRequest & { appName?: string }>({
  appName: true,
  userId: true,
  sessionId: true,
  newMessage: true,
  invocationId: true,
  messageId: true,
  answeredBy: true,
  stateDelta: true,
  runConfig: true,
  abortSignal: true,
  yieldUserMessage: true,
  deps: true,
});

const sessionNames = ['sessionId', 'invocationId', 'answeredBy'];

/** Names of the options of each method. */
const namesOf: { readonly [method in RunMethod]: readonly string[] } = {
  runAsync: requestNames,
  runEphemeral: requestNames.filter((name) => !sessionNames.includes(name)),
  // `answers`, `keepMemory`: not part of the request of the run, but they may be suggested.
  resume: [...requestNames, 'answers'],
  regenerate: [...requestNames, 'keepMemory'],
};

const runConfigNames = optionNames<RunConfig>({
  streamingMode: true,
  maxLlmCalls: true,
  reader: true,
  idleLimitMs: true,
  cleanupMs: true,
  timeLimitMs: true,
  toolTimeoutMs: true,
  toolErrors: true,
  maxParallelTools: true,
  saveInputBlobsAsArtifacts: true,
  limits: true,
  customMetadata: true,
});
const limitNames = optionNames<RunLimits>({ tokens: true, cost: true });

const choices = [
  ['streamingMode', ['none', 'sse']],
  ['reader', ['attached', 'detached']],
  ['toolErrors', ['message', 'redacted']],
] as const;
const durations = ['idleLimitMs', 'cleanupMs', 'timeLimitMs', 'toolTimeoutMs'] as const;
const counts = ['maxLlmCalls', 'maxParallelTools'] as const;

function toMessage(newMessage: string | Content | undefined): Content {
  if (typeof newMessage === 'string') {
    if (newMessage === '') throw new TholeError('INVALID_INPUT', 'newMessage must not be empty.');
    return { role: 'user', parts: [{ text: newMessage }] };
  }
  assertContent(newMessage, 'newMessage');
  if (newMessage.role === 'model') throw new TholeError('INVALID_INPUT', `newMessage.role must be 'user'.`);
  if (newMessage.parts.some((part) => part.functionCall)) {
    throw new TholeError('INVALID_INPUT', 'newMessage must not contain a functionCall: only models call functions.');
  }
  return newMessage.role === 'user' ? newMessage : { ...newMessage, role: 'user' };
}

function assertRunConfig(config: RunConfig | undefined): void {
  if (config === undefined) return;
  rejectUnknownOptions(config, runConfigNames, 'runConfig');
  for (const [name, values] of choices) assertChoice(config, name, values);
  for (const name of durations) if (config[name] !== undefined) assertDuration(`runConfig.${name}`, config[name]);
  for (const name of counts) if (config[name] !== undefined) assertCount(`runConfig.${name}`, config[name], 1);
  assertLimits(config.limits as RunLimits | undefined);
  const metadata: unknown = config.customMetadata;
  if (metadata !== undefined && !isPlainObject(metadata))
    throw invalidInput('runConfig.customMetadata', 'an object', metadata);
  const reserved = Object.keys(metadata ?? {}).find(isRuntimeMetadata);
  if (reserved !== undefined)
    throw new TholeError('INVALID_INPUT', `runConfig.customMetadata must not contain "${reserved}": only runs set it.`);
}

function assertLimits(limits: RunLimits | undefined): void {
  if (limits === undefined) return;
  rejectUnknownOptions(limits, limitNames, 'runConfig.limits');
  const { tokens, cost } = limits;
  if (tokens !== undefined) assertCount('runConfig.limits.tokens', tokens, 1);
  if (cost !== undefined && !(typeof cost === 'number' && cost > 0))
    throw invalidInput('runConfig.limits.cost', 'a number > 0', cost);
}

function assertChoice(config: RunConfig, name: keyof RunConfig, values: readonly string[]): void {
  const value = config[name];
  if (value === undefined || values.includes(value as string)) return;
  const expected = values.map((each) => `'${each}'`).join(' or ');
  throw new TholeError('INVALID_INPUT', `runConfig.${name} must be ${expected}.`);
}
