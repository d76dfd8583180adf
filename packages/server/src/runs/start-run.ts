import type { Content, JsonObject, SessionRef, StateDelta } from '@thole/core';
import type { Run } from '@thole/runner';
import { findRunner } from '../http/find-runner.ts';
import type { RouteCall } from '../route.ts';

/** The parts of a request that a run needs. */
export type RunCall = Pick<RouteCall, 'context' | 'request' | 'answeredBy'>;

/** The run of an authorized request. */
export interface RunRequest {
  ref: SessionRef;
  newMessage: Content | undefined;
  /** The id of the message. A stored message with the same id is not processed again. */
  messageId?: string | undefined;
  stateDelta?: StateDelta | undefined;
  /** The invocation to resume, or that of the answers in `newMessage`. */
  invocationId?: string | undefined;
  /** The invocation to remove, with everything after it. Its message, or `newMessage`, is answered again. */
  regenerateInvocationId?: string | undefined;
  /** True to create partial events. */
  streaming: boolean;
  /** True for a run that continues without its reader. */
  detached: boolean;
  yieldUserMessage: boolean;
  customMetadata?: JsonObject | undefined;
}

/**
 * Starts a run with the limits, `deps` and error options of the handler, and counts it as active. Throws `SERVER_BUSY`
 * if no further run may start.
 */
export async function startRun({ context, request, answeredBy }: RunCall, p: RunRequest): Promise<Run> {
  const { appName, userId, sessionId } = p.ref;
  const runner = findRunner(context, appName);
  const deps: unknown = context.deps && (await context.deps(request, { appName, userId }));
  context.runs.assertCapacity();
  const options = {
    ...{ userId, sessionId, newMessage: p.newMessage, messageId: p.messageId, answeredBy: answeredBy ?? userId },
    ...{ stateDelta: p.stateDelta, deps, yieldUserMessage: p.yieldUserMessage },
    runConfig: {
      streamingMode: p.streaming ? ('sse' as const) : ('none' as const),
      reader: p.detached ? ('detached' as const) : ('attached' as const),
      timeLimitMs: context.limits.runMs,
      toolErrors: context.toolErrors,
      customMetadata: p.customMetadata,
    },
  };
  const run =
    p.regenerateInvocationId === undefined
      ? runner.runAsync({ ...options, invocationId: p.invocationId })
      : runner.regenerate({ ...options, invocationId: p.regenerateInvocationId });
  // The iterator is created before `context.runs.add` reads `run.done`, because a run without an iterator continues without a reader.
  if (!p.detached) run[Symbol.asyncIterator]();
  context.runs.add(run);
  return run;
}
