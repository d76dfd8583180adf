import type { CallbackContext, ReadonlyContext, ReadonlyState } from '@thole/core';

/** Returns a read-only view of the context, for instructions and toolsets. */
export function readonlyContext(context: CallbackContext): ReadonlyContext {
  const { state } = context;
  const readonlyState: ReadonlyState = Object.freeze({
    get: state.get.bind(state),
    has: state.has.bind(state),
    toRecord: state.toRecord.bind(state),
  });
  const { invocationId, agentName, appName, userId, sessionId, userContent, history } = context;
  const { signal, runtime, span, deps } = context;
  return Object.freeze({
    ...{ invocationId, agentName, appName, userId, sessionId, userContent, history },
    ...{ signal, runtime, span, deps },
    state: readonlyState,
  });
}
