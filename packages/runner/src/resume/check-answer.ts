import { callStatus, getFunctionResponses, TholeError } from '@thole/core';
import { callToApprove, canonicalJson, formatAnswerIssues, isPlainObject } from '@thole/core/kit';
import type { InterruptLog, RecordedInterrupt } from '@thole/core/kit';
import type { Event, FunctionResponse, Interrupt, Json, JsonObject, ReadonlyContext, Tool, Toolset } from '@thole/core';
import { jsonSchema, readSchemaInput } from '@thole/tools';
import { inputValue, isDecline } from '../flow/call-attempt.ts';
import { logFailure } from '../hooks/log-failure.ts';
import { readonlyContext } from '../hooks/readonly-context.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { assertToolsetResult, reasonIn } from '../request/add-tools.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { eventsOf, interruptNotFound } from './find-invocation.ts';
import { missingAgent } from './missing-agent.ts';

/** An answer of the caller: a function response in the message, or a value for an interrupt id. */
export type GivenAnswer =
  | { readonly id: string; readonly response: FunctionResponse; readonly value?: undefined }
  | { readonly id: string; readonly value: Json; readonly response?: undefined };

/** A validated answer. */
export interface CheckedAnswer {
  readonly id: string;
  readonly response: FunctionResponse;
  /** True for an update: the call stays open. */
  readonly isUpdate: boolean;
  /** True if the model is called after the update. */
  readonly callsModel: boolean;
}

/**
 * Checks an answer against the recorded request. Throws `INTERRUPT_NOT_FOUND`, `INTERRUPT_ANSWERED`, `INVOCATION_ENDED`,
 * `INTERRUPT_EXPIRED`, `INTERRUPT_MISMATCH` with a reason, `ARGUMENTS_NOT_EDITABLE` or `ANSWER_INVALID`. Stores nothing in the
 * session. For a sign-in, exchanges the response for credentials.
 */
export async function checkAnswer(task: RunTask, given: GivenAnswer): Promise<CheckedAnswer> {
  const { interrupts, session } = task;
  const recorded = interrupts.find(given.id);
  if (!recorded) throw notAnInterruptError(task, given.id);
  const { call, interrupt } = recorded;
  if (interrupt.invocationId !== task.invocationId) throw interruptNotFound(session, given.id);
  assertOpen(interrupts, recorded);
  const { expiresAt, kind } = interrupt;
  if (kind === 'timer') throw mismatchError(interrupt, 'timer', 'is a timer, which only the clock answers');
  if (expiresAt !== undefined && expiresAt <= task.runner.runtime.now()) throw expiredError(interrupt.id);
  if (given.response && given.response.name !== call.name)
    throw mismatchError(interrupt, 'name_mismatch', `is a request of ${call.name}, not of ${given.response.name}`);
  assertOriginalCall(task, recorded);
  assertCanContinue(task, recorded);
  return toAnswer(task, recorded, given);
}

async function toAnswer(task: RunTask, recorded: RecordedInterrupt, given: GivenAnswer): Promise<CheckedAnswer> {
  const { call, interrupt } = recorded;
  if (given.response?.willContinue === true && interrupt.kind !== 'longRunning')
    throw invalidAnswer(interrupt, 'has willContinue, but only long-running calls accept updates');
  const checked = (response: JsonObject): CheckedAnswer => ({
    id: interrupt.id,
    response: { ...given.response, id: interrupt.id, name: call.name, response },
    isUpdate: false,
    callsModel: false,
  });
  switch (interrupt.kind) {
    case 'confirmation':
      return checked(await checkConfirmation(task, recorded, given));
    case 'input':
      return checked(await checkInput(interrupt, given));
    case 'credential':
      return withoutSecrets(checked(await finishSignIn(task, interrupt, given)));
    default:
      return checkLongRunning(task, recorded, given);
  }
}

/** Returns the error of an answer whose id is not the id of an interrupt. A call that is not long-running is answered by its tool. */
function notAnInterruptError({ interrupts, invocationId, session }: RunTask, id: string): TholeError {
  const found = callStatus(session.log, id);
  if (!found || found.event.invocationId !== invocationId) return interruptNotFound(session, id);
  if (found.status === 'answered') return answeredError(id);
  const [open] = interrupts.ofCall(id).filter(({ isOpen }) => isOpen);
  const next = open ? `Answer "${open.interrupt.id}", its ${open.interrupt.kind}` : 'It is not long-running';
  return new TholeError('INTERRUPT_NOT_FOUND', `Call "${id}" of ${found.call.name} accepts no answer. ${next}.`);
}

function assertOpen(interrupts: InterruptLog, { answer, interrupt, isOpen }: RecordedInterrupt): void {
  if (isOpen) return;
  const end = interrupts.endOf(interrupt.invocationId);
  // An answer by `system`: the interrupt has expired.
  if (answer?.event.author === 'system' && interrupt.kind !== 'timer') throw expiredError(interrupt.id);
  if (answer || end === undefined) throw answeredError(interrupt.id);
  throw invocationEnded(interrupt.invocationId, end);
}

/** Throws unless the request names a recorded call of its author, with the same arguments and without an answer. */
function assertOriginalCall({ session, tree }: RunTask, { call, event, interrupt }: RecordedInterrupt): void {
  const { agentName, args, functionCallId, kind, toolName } = interrupt;
  // A request of an agent for its child run names no call of this session.
  if (functionCallId === undefined && call.args['child'] !== undefined) return;
  if (kind === 'confirmation' && (functionCallId === undefined || toolName === undefined))
    throw mismatchError(interrupt, 'malformed_request', 'does not name the id and the name of the call to confirm');
  if (functionCallId === undefined || kind === 'longRunning') return;
  const original = callStatus(session.log, functionCallId);
  if (!original || original.event.author !== event.author)
    throw mismatchError(
      interrupt,
      'unknown_original_call',
      `names call "${functionCallId}", which ${event.author} did not make`,
    );
  if (original.status === 'answered') throw answeredError(interrupt.id);
  if (toolName !== undefined && original.call.name !== toolName)
    throw mismatchError(
      interrupt,
      'tool_name_mismatch',
      `names ${toolName}, but the call is a call of ${original.call.name}`,
    );
  const agent = tree.find(agentName);
  // A toolset may provide the tool, so it is not checked.
  const hasTool = !isLlmAgent(agent) || agent.tools.some((tool) => !('name' in tool) || tool.name === toolName);
  if (toolName !== undefined && !hasTool)
    throw mismatchError(
      interrupt,
      'unregistered_tool',
      `names ${toolName}, which agent ${agentName} does not have. Add the tool, or end the invocation with cancel`,
    );
  if (args !== undefined && canonicalJson(original.call.args) !== canonicalJson(args))
    throw mismatchError(interrupt, 'arguments_mismatch', 'names other arguments than the call');
}

/** Throws if a resumed run cannot reach the agent of the request, because the app has changed. */
function assertCanContinue(task: RunTask, { event, interrupt }: RecordedInterrupt): void {
  const missing = missingAgent(eventsOf(task), event, { root: task.rootPlace, tree: task.tree });
  if (missing === undefined) return;
  throw mismatchError(
    interrupt,
    'unknown_agent',
    `needs agent ${missing}, which the app does not have at the same place any more. Add the agent, or end the invocation with cancel`,
  );
}

async function checkConfirmation(
  task: RunTask,
  { call, interrupt }: RecordedInterrupt,
  given: GivenAnswer,
): Promise<JsonObject> {
  const answer = given.response ? unwrapAnswer(given.response.response) : given.value;
  const content = typeof answer === 'boolean' ? { confirmed: answer } : answer;
  const {
    confirmed,
    editedArguments,
    edited_arguments: adkEdited,
  } = isPlainObject(content) ? (content as JsonObject) : {};
  if (typeof confirmed !== 'boolean')
    throw invalidAnswer(
      interrupt,
      'must be {confirmed: true} or {confirmed: false}, with payload? and editedArguments?',
    );
  const { edited_arguments: _, ...rest } = content as JsonObject;
  const edited = editedArguments ?? adkEdited ?? null;
  if (edited === null) return rest;
  if (!isPlainObject(edited)) throw invalidAnswer(interrupt, 'has editedArguments that are not an object');
  // The request of a child run says if the arguments may be edited. The child checks them when it continues.
  const isOfChild = call.args['child'] !== undefined;
  const tool = isOfChild ? undefined : await findTool(task, interrupt);
  const isEditable = isOfChild ? call.args['allowEditedArguments'] === true : tool?.allowEditedArguments;
  if (!isEditable) {
    const { toolName } = callToApprove(interrupt);
    const message = `${toolName ?? 'The tool'} does not allow edited arguments. Confirm or reject the call unchanged.`;
    throw new TholeError('ARGUMENTS_NOT_EDITABLE', message);
  }
  try {
    await tool?.checkArguments?.(edited as JsonObject);
  } catch (cause) {
    throw new TholeError('ANSWER_INVALID', (cause as Error).message, { cause });
  }
  return { ...rest, editedArguments: edited };
}

async function checkInput(interrupt: Interrupt, given: GivenAnswer): Promise<JsonObject> {
  const candidates: Json[] = given.response
    ? [given.response.response, inputValue(given.response.response)]
    : [given.value];
  const declined = given.response && isDecline(given.response.response) ? given.response.response : undefined;
  const { responseSchema } = interrupt;
  if (!responseSchema) return declined ?? toResponse(candidates.at(-1)!);
  const schema = readSchemaInput(jsonSchema(responseSchema), `The schema of interrupt "${interrupt.id}"`);
  let issues: string[] = [];
  for (const candidate of candidates) {
    const result = await schema.validate(candidate);
    if ('value' in result) return toResponse(candidate);
    ({ issues } = result);
  }
  if (declined) return declined;
  throw new TholeError('ANSWER_INVALID', formatAnswerIssues(interrupt, issues));
}

function toResponse(value: Json): JsonObject {
  if (!isPlainObject(value)) return { result: value };
  const object = value as JsonObject;
  const isWrapped = isDecline(object) || (Object.keys(object).length === 1 && 'result' in object);
  return isWrapped ? { result: value } : (value as JsonObject);
}

/** Drops all other members of the function response, because they may contain credentials. */
function withoutSecrets(answer: CheckedAnswer): CheckedAnswer {
  const { id, name, response } = answer.response;
  return { ...answer, response: { ...(id !== undefined && { id }), name, response } };
}

async function finishSignIn(task: RunTask, interrupt: Interrupt, given: GivenAnswer): Promise<JsonObject> {
  const { authenticator } = task.runner;
  if (!authenticator)
    throw new TholeError('CREDENTIAL_NOT_CONFIGURED', 'The runner has no authenticator. Set the option authenticator.');
  const { appName, userId } = task.ref;
  const response: unknown = given.response ? given.response.response : given.value;
  const at = { appName, userId, interruptId: interrupt.id, signal: task.signal };
  return { ...(await authenticator.finishSignIn({ ...at, response })) };
}

async function checkLongRunning(
  task: RunTask,
  { call, interrupt }: RecordedInterrupt,
  given: GivenAnswer,
): Promise<CheckedAnswer> {
  const request = task.interrupts.ofCall(call.id!).find(({ isOpen, interrupt: { id } }) => isOpen && id !== call.id);
  if (request) {
    const { id, kind } = request.interrupt;
    throw mismatchError(
      interrupt,
      'call_waits',
      `is a call that waits for another answer. Answer its ${kind} request "${id}" first`,
    );
  }
  const response: FunctionResponse = { ...given.response, id: call.id!, name: call.name, response: objectOf(given) };
  const isUpdate = given.response?.willContinue === true;
  const tool = isUpdate ? await findTool(task, interrupt) : undefined;
  if (isUpdate && !tool?.acceptsUpdates)
    throw invalidAnswer(interrupt, `has willContinue, but ${call.name} does not accept updates (acceptsUpdates: true)`);
  return { id: interrupt.id, response, isUpdate, callsModel: tool?.onUpdate === 'ask-model' };
}

/** Returns the tool of the call, which may come from a toolset. Undefined if the agent does not have it. */
async function findTool(
  { opened, runner, tree }: RunTask,
  { agentName, toolName }: Interrupt,
): Promise<Tool | undefined> {
  const agent = tree.find(agentName);
  if (!isLlmAgent(agent)) return undefined;
  const { rootContext } = opened!;
  const { changes, ownSpan: span } = rootContext;
  const context = readonlyContext(rootContext.withAgent(agent, { changes, span }));
  for (const [i, each] of agent.tools.entries()) {
    if ('getTools' in each) runner.addToolset(each);
    const tools = 'getTools' in each ? await toolsOf(each, context) : [each];
    if ('getTools' in each) assertToolsetResult(agent, i, tools);
    const tool = tools.find(({ name }) => name === toolName);
    if (tool) return tool;
  }
  return undefined;
}

async function toolsOf(toolset: Toolset, context: ReadonlyContext): Promise<readonly Tool[]> {
  try {
    return await toolset.getTools(context);
  } catch (cause) {
    context.signal.throwIfAborted();
    const message = `A toolset of agent ${context.agentName} failed in getTools${reasonIn(cause)}`;
    const error = new TholeError('TOOL_FAILED', message, { cause });
    logFailure(context, 'A tool failed.', error);
    throw error;
  }
}

function objectOf(given: GivenAnswer): JsonObject {
  if (given.response) return given.response.response;
  return isPlainObject(given.value) ? (given.value as JsonObject) : { result: given.value };
}

/** Returns the answer in a response of ADK's web page, which wraps it as text: `{response: '{"confirmed": true}'}`. */
function unwrapAnswer(response: JsonObject): Json {
  const names = Object.keys(response);
  if (names.length !== 1 || typeof response['response'] !== 'string') return response;
  try {
    return JSON.parse(response['response']) as Json;
  } catch {
    return response;
  }
}

function expiredError(id: string): TholeError {
  return new TholeError('INTERRUPT_EXPIRED', `Interrupt "${id}" has expired.`);
}

/** Returns the error of an answer that came after this stored answer. */
export function lateAnswerError(stored: Event): TholeError {
  const { id } = getFunctionResponses(stored)[0]!;
  return stored.author === 'system' ? expiredError(id!) : answeredError(id!);
}

function answeredError(id: string): TholeError {
  return new TholeError('INTERRUPT_ANSWERED', `"${id}" has an answer already. The first answer counts.`);
}

/** Returns the error of a resume whose invocation has ended and cannot continue. */
export function invocationEnded(invocationId: string, code: string): TholeError {
  return new TholeError('INVOCATION_ENDED', `Invocation "${invocationId}" has ended (${code}) and cannot be resumed.`);
}

function mismatchError({ id }: Interrupt, reason: string, problem: string): TholeError {
  return new TholeError('INTERRUPT_MISMATCH', `Interrupt "${id}" ${problem}.`, { details: { reason } });
}

function invalidAnswer({ id, kind }: Interrupt, problem: string): TholeError {
  return new TholeError('ANSWER_INVALID', `The answer to ${kind} "${id}" ${problem}. The interrupt stays open.`);
}
