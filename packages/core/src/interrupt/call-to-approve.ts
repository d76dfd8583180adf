import { isPlainObject } from '../json/find-non-json.ts';
import type { JsonObject } from '../json/json.ts';
import type { Interrupt } from './interrupt.ts';

/**
 * Returns the call that runs after an approval, so that it can be shown to the person. It has the arguments that a
 * callback has changed. For an agent that runs as a tool, it is the call of that agent. `toolName` is undefined if the
 * interrupt names no tool.
 */
export function callToApprove({ args = {}, payload, toolName }: Pick<Interrupt, 'args' | 'payload' | 'toolName'>): {
  toolName: string | undefined;
  args: JsonObject;
} {
  const data = isPlainObject(payload) ? (payload as JsonObject) : {};
  if (isPlainObject(data['arguments'])) return { toolName, args: data['arguments'] as JsonObject };
  const { toolName: inner, args: innerArgs, ...others } = data;
  const isOfChild = typeof inner === 'string' && isPlainObject(innerArgs) && Object.keys(others).length === 0;
  return isOfChild ? { toolName: inner, args: innerArgs as JsonObject } : { toolName, args };
}
