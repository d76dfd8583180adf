import type { FunctionCall, JsonObject } from '@thole/core';
import { oneLine } from './plain-text.ts';

const ARGUMENTS = 120;
const ANSWER = 160;

/** A tool's call and what it answered, on one line. */
export function toolLine({ name, args }: Pick<FunctionCall, 'name' | 'args'>, response: JsonObject): string {
  return `  [${callText({ name, args })} → ${oneLine(answerText(response), ANSWER)}]`;
}

/** A call that waits for an answer from outside, on one line. */
export function waitingLine({ id, name, args }: FunctionCall): string {
  return `  [${callText({ name, args })} waits for an answer${id === undefined ? '' : `; its id is ${oneLine(id, 80)}`}]`;
}

function callText({ name, args }: Pick<FunctionCall, 'name' | 'args'>): string {
  return `${oneLine(name, 64)}(${oneLine(membersText(args), ARGUMENTS)})`;
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
