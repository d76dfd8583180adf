import { canonicalJson, isPlainObject, scopeOf, setOwn } from '@thole/core/kit';
import type { FunctionDeclaration, Json, JsonObject, StateDelta, StateMap } from '@thole/core';
import type { ClientScope } from '../handler-options.ts';
import type { RunInput } from './run-input.ts';

/** State key of the client's tools: the session keeps them, so that any process can continue the run. */
export const CLIENT_TOOLS_KEY = 'agUiTools';
/** State key of the client's `context`, for instructions. */
export const CLIENT_CONTEXT_KEY = 'agUiContext';

const ownKeys: ReadonlySet<string> = new Set([CLIENT_TOOLS_KEY, CLIENT_CONTEXT_KEY]);

/** Returns the state that the client sees: without the tools and the context that it has sent itself. */
export function visibleState(state: StateMap): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !ownKeys.has(key)));
}

/**
 * Returns the state to store with the message: the client's changes of the session's own keys, its tools and its context. Keys
 * that the client does not send stay, and keys with a prefix are only read. A run that is resumed keeps its tools and its context if
 * the client sends none. Undefined if nothing changes.
 */
export function clientStateDelta(
  { context, state }: Pick<RunInput, 'context' | 'state'>,
  p: {
    stored: StateMap;
    tools: readonly FunctionDeclaration[];
    isResume: boolean;
    clientMayWrite: ReadonlySet<ClientScope>;
  },
): StateDelta | undefined {
  const { stored } = p;
  const delta: StateDelta = {};
  const change = (key: string, value: Json): void => {
    const earlier = Object.hasOwn(stored, key) ? stored[key]! : null;
    if (canonicalJson(earlier) !== canonicalJson(value)) setOwn(delta, key, value);
  };
  if (isPlainObject(state) && p.clientMayWrite.has('session'))
    for (const [key, value] of Object.entries(state))
      if (scopeOf(key) === 'session' && !ownKeys.has(key)) change(key, value as Json);
  const entries = context.map(({ description, value }) => ({ description, value }));
  for (const [key, list] of [
    [CLIENT_TOOLS_KEY, p.tools],
    [CLIENT_CONTEXT_KEY, entries],
  ] as const) {
    if (list.length > 0) change(key, list as unknown as Json);
    else if (!p.isResume) change(key, null);
  }
  return Object.keys(delta).length > 0 ? delta : undefined;
}
