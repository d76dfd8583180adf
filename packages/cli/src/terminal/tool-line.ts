import type { FunctionCall, JsonObject } from '@thole/core';
import { oneLine } from './plain-text.ts';

const MAX_ARGUMENTS = 120;
const MAX_ANSWER = 160;

/** Returns a tool call and its answer on one line. */
export function toolLine({ name, args }: Pick<FunctionCall, 'name' | 'args'>, response: JsonObject): string {
  return `  [${callText({ name, args })} → ${oneLine(answerText(response), MAX_ANSWER)}]`;
}

/** Returns a call that waits for an external answer, on one line. */
export function waitingLine({ id, name, args }: FunctionCall): string {
  return `  [${callText({ name, args })} waits for an answer${id === undefined ? '' : `; its id is ${oneLine(id, 80)}`}]`;
}

function callText({ name, args }: Pick<FunctionCall, 'name' | 'args'>): string {
  return `${oneLine(name, 64)}(${oneLine(membersText(args), MAX_ARGUMENTS)})`;
}

function answerText(response: JsonObject): string {
  if (typeof response['error'] === 'string') return `error: ${response['error']}`;
  return membersText(response) || 'done';
}

function membersText(object: JsonObject): string {
  return Object.entries(object)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(', ');
}
