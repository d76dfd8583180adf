import { TholeError } from '@thole/core';
import { assertDuration, invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { RecordedInterrupt } from '@thole/core/kit';
import type { InputRequest, Json, JsonObject } from '@thole/core';
import { readSchemaInput } from '@thole/tools';
import { inputValue, isDecline } from './call-attempt.ts';

const names = optionNames<InputRequest>({ message: true, responseSchema: true, payload: true, ttlMs: true });

/** Throws `INVALID_INPUT` for a wrong request. */
export function assertInputRequest(p: InputRequest): void {
  rejectUnknownOptions(p, names, 'requestInput');
  if (typeof p.message !== 'string' || p.message === '')
    throw invalidInput('message', 'a string that is not empty', p.message);
  if (p.responseSchema !== undefined && !isPlainObject(p.responseSchema))
    throw invalidInput('responseSchema', 'a JSON Schema object', p.responseSchema);
  // Checked now, because no answer of a person would fit a wrong schema.
  if (p.responseSchema !== undefined) readSchemaInput(p.responseSchema, 'responseSchema');
  if (p.ttlMs !== undefined) assertDuration('ttlMs', p.ttlMs);
}

/**
 * Returns the answer to a request for input. Throws `INTERRUPT_EXPIRED` if no answer came in time, and `INPUT_DECLINED` if the
 * person has declined the request.
 */
export function inputAnswer({ answer }: RecordedInterrupt, message: string): Json {
  if (answer!.event.author === 'system') throw expiredError(message);
  const { response } = answer!.response;
  if (isDecline(response)) throw declinedError(message, response);
  return inputValue(response);
}

/** Returns the error of a request in a run that cannot pause. `what` names the request. */
export function cannotPauseError(what: string, { isResumable }: { readonly isResumable: boolean }): TholeError {
  const reason = isResumable
    ? 'no call of a tool is running that could wait'
    : 'the app has resumability.isResumable: false';
  return new TholeError('INVALID_INPUT', `${what} is not possible, because the run cannot pause: ${reason}.`);
}

/** Returns the error of a request that the person has declined. */
export function declinedError(message: string, { error }: JsonObject): TholeError {
  return new TholeError('INPUT_DECLINED', `The request was declined: ${message} ${error as string}`);
}

/** Returns the error of a request without an answer in time. */
export function expiredError(message: string): TholeError {
  return new TholeError('INTERRUPT_EXPIRED', `No answer came in time: ${message}`);
}
