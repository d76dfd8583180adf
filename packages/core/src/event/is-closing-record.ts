import { errorCodes } from '../errors/error-codes.ts';
import type { TholeErrorCode } from '../errors/error-codes.ts';
import type { Event } from './event.ts';

/** Name in `nodeInfo` of a closing record whose code is not in `errorCodes`. An answer of an agent may have such a code too. */
const CLOSING_RECORD = 'closingRecord';

/** Returns the members that mark a closing record with this code. */
export function closingRecordMark(code: TholeErrorCode): Pick<Event, 'nodeInfo'> {
  return Object.hasOwn(errorCodes, code) ? {} : { nodeInfo: { [CLOSING_RECORD]: true } };
}

/**
 * True for the closing record of a failed run: an error of the runtime without content. False for an error that is the answer of a
 * model, a callback or an agent.
 */
export function isClosingRecord({ content, errorCode, finishReason, nodeInfo }: Event): boolean {
  if (errorCode === undefined || content !== undefined || finishReason !== undefined) return false;
  return Object.hasOwn(errorCodes, errorCode) || nodeInfo?.[CLOSING_RECORD] === true;
}
