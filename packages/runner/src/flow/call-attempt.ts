import { isPlainObject } from '@thole/core/kit';
import type { InterruptLog, RecordedInterrupt } from '@thole/core/kit';
import type { Json, JsonObject, ToolConfirmation } from '@thole/core';

/** The requests of all earlier attempts of a tool call, and their answers. */
export interface CallAttempt {
  /** True while a request of the call has no answer. */
  readonly isWaiting: boolean;
  /** Number of requests that have an answer. */
  readonly count: number;
  /** `seq` of the last answer, 0 without one. */
  readonly lastAnswerSeq: number;
  /** The last answer to a request for a confirmation, except `inDoubt`. */
  readonly confirmation: Confirmation | undefined;
  /** The last answer to a request that was made before the tool ran. It stays valid if the tool makes requests later. */
  readonly approval: Confirmation | undefined;
  /** The decision whether the call runs again after a crash, if it is newer than `confirmation`. */
  readonly inDoubt: Confirmation | undefined;
  /** Arguments that a person has changed. */
  readonly editedArguments: JsonObject | undefined;
  /** Arguments that a person has seen or changed last. An approval is valid only for them. */
  readonly approvedArguments: JsonObject | undefined;
  /** Answers to requests for input, in order. */
  readonly inputs: readonly AnsweredRequest[];
  /** Answers to requests for a sign-in, in order. */
  readonly credentials: readonly AnsweredRequest[];
}

/** The answer of a person to a request for a confirmation. */
export interface Confirmation {
  readonly answer: ToolConfirmation;
  readonly editedArguments: JsonObject | undefined;
  /** Arguments that the person has seen. */
  readonly seenArguments: JsonObject;
  /** True if the tool itself requested it while it ran. */
  readonly fromTool: boolean;
}

/** A request and its answer. */
export interface AnsweredRequest {
  readonly value: Json;
  /** True if no answer came in time. */
  readonly hasExpired: boolean;
  /** True if the person has declined a request for input. The value is then `{error}`. */
  readonly isDeclined: boolean;
  /** Data of the request. */
  readonly payload: Json | undefined;
}

/** Returns the requests of a call and their answers. Undefined if it made none. */
export function attemptOf(interrupts: InterruptLog, callId: string): CallAttempt | undefined {
  const recorded = interrupts.ofCall(callId).filter(({ interrupt }) => interrupt.kind !== 'longRunning');
  if (recorded.length === 0) return undefined;
  // Requests of child runs are left out: the child runs read their answers themselves.
  const own = recorded.filter(({ call }) => call.args['child'] === undefined);
  const answersOf = (kind: string): AnsweredRequest[] =>
    own.filter(({ interrupt }) => interrupt.kind === kind).flatMap((each) => toAnsweredRequest(each) ?? []);
  const confirmations = own.filter(({ answer, interrupt }) => answer && interrupt.kind === 'confirmation');
  const decided = confirmations.filter(({ call }) => call.args['inDoubt'] !== true);
  const approved = decided.findLast(({ call }) => call.args['fromTool'] !== true);
  const last = confirmations.at(-1);
  return {
    isWaiting: recorded.some(({ isOpen }) => isOpen),
    count: recorded.filter(({ answer }) => answer).length,
    lastAnswerSeq: recorded.reduce((last, { answer }) => Math.max(last, answer?.event.seq ?? 0), 0),
    confirmation: confirmationOf(decided.at(-1)),
    approval: confirmationOf(approved),
    inDoubt: last === decided.at(-1) ? undefined : confirmationOf(last),
    ...argumentsOf(confirmations),
    inputs: answersOf('input'),
    credentials: answersOf('credential'),
  };
}

/** Returns the arguments of the answers to requests for a confirmation, oldest first. Later answers keep earlier edits. */
function argumentsOf(
  confirmations: readonly RecordedInterrupt[],
): Pick<CallAttempt, 'editedArguments' | 'approvedArguments'> {
  let editedArguments: JsonObject | undefined;
  let approvedArguments: JsonObject | undefined;
  for (const recorded of confirmations) {
    const { editedArguments: edited, fromTool, seenArguments } = confirmationOf(recorded)!;
    if (edited) editedArguments = approvedArguments = edited;
    else if (recorded.call.args['inDoubt'] === true) approvedArguments ??= seenArguments;
    else if (!fromTool) approvedArguments = seenArguments;
  }
  return { editedArguments, approvedArguments };
}

/** Returns the value of an answer to a request for input: the member `result` if it is the only one. */
export function inputValue(response: JsonObject): Json {
  const names = Object.keys(response);
  return names.length === 1 && names[0] === 'result' ? response['result']! : response;
}

/** True for a response `{error: text}`, which declines a request for input. A value of this form is wrapped in `result`. */
export function isDecline(response: JsonObject): boolean {
  return Object.keys(response).length === 1 && typeof response['error'] === 'string';
}

function toAnsweredRequest({ answer, interrupt }: RecordedInterrupt): AnsweredRequest | undefined {
  if (!answer) return undefined;
  const { response } = answer.response;
  const isInput = interrupt.kind === 'input';
  const value = isInput ? inputValue(response) : response;
  const hasExpired = answer.event.author === 'system';
  return { value, hasExpired, isDeclined: isInput && isDecline(response), payload: interrupt.payload };
}

function confirmationOf(recorded: RecordedInterrupt | undefined): Confirmation | undefined {
  if (!recorded) return undefined;
  const { answer, call, interrupt } = recorded;
  const { confirmed, payload, hint, editedArguments } = answer!.response.response;
  const shown = isPlainObject(interrupt.payload) ? (interrupt.payload as JsonObject)['arguments'] : undefined;
  return {
    answer: {
      confirmed: confirmed === true,
      ...(typeof hint === 'string' && { hint }),
      ...(payload !== undefined && payload !== null && { payload }),
    },
    editedArguments: isPlainObject(editedArguments) ? (editedArguments as JsonObject) : undefined,
    seenArguments: (isPlainObject(shown) ? shown : (interrupt.args ?? {})) as JsonObject,
    fromTool: call.args['fromTool'] === true,
  };
}
