import type { Json } from '@thole/core';
import type { RunRequest } from '../invocation/run-request.ts';

/** Arguments of `resume`. */
export interface ResumeRequest<T = unknown> extends Omit<RunRequest<T>, 'sessionId' | 'newMessage'> {
  sessionId: string;
  /**
   * Answers by id of the interrupt. A confirmation takes true, false or `{confirmed, payload?, editedArguments?}`; input takes a
   * value that fits its schema; a long-running call takes its result; a sign-in takes ADK's auth config with the response.
   */
  answers?: { readonly [interruptId: string]: Json } | undefined;
}
