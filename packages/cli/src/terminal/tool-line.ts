import { argumentsToApprove, callToApprove, escapeHidden } from '@thole/core/kit';
import type { FunctionCall, Interrupt, JsonObject } from '@thole/core';
import { oneLine } from './plain-text.ts';

const MAX_ARGUMENTS = 120;
const MAX_ANSWER = 160;
/** Maximum number of characters of arguments that a person approves. */
const MAX_APPROVED_ARGUMENTS = 8_000;

/** Returns a tool call and its answer on one line. */
export function toolLine({ name, args }: Pick<FunctionCall, 'name' | 'args'>, response: JsonObject): string {
  return `  [${callText({ name, args })} → ${oneLine(answerText(response), MAX_ANSWER)}]`;
}

/** Returns an open interrupt on one line: the waiting call, and the id for the answer. */
export function waitingLine(interrupt: Interrupt): string {
  const { args, expiresAt, id, kind, message, toolName } = interrupt;
  const call = callText({ name: toolName ?? 'the agent', args: args ?? {} });
  const answer = `its id is ${oneLine(id, 80)}`;
  switch (kind) {
    case 'confirmation':
      return `  [${approvalText(interrupt)} waits for a confirmation; ${answer}]`;
    case 'input':
      return `  [${message === undefined ? call : oneLine(message, MAX_ANSWER)} waits for input; ${answer}]`;
    case 'credential':
      return `  [${call} waits for a sign-in; ${answer}]`;
    case 'timer':
      return `  [waits until ${new Date((expiresAt ?? 0) * 1_000).toISOString()}]`;
    case 'longRunning':
      return `  [${call} waits for an answer; ${answer}]`;
  }
}

/** Returns a call with its arguments, shortened to fit into a line. */
export function callText({ name, args }: Pick<FunctionCall, 'name' | 'args'>): string {
  return `${oneLine(name, 64)}(${oneLine(membersText(args), MAX_ARGUMENTS)})`;
}

/** Returns the call that runs after an approval. Arguments that do not fit into a line unchanged are shown as JSON. */
export function approvalText(interrupt: Pick<Interrupt, 'args' | 'payload' | 'toolName'>): string {
  const { args, toolName: name = 'the agent' } = callToApprove(interrupt);
  const members = membersText(args);
  const isComplete = oneLine(members, MAX_ARGUMENTS) === escapeHidden(members);
  return isComplete
    ? callText({ name, args })
    : `${oneLine(name, 64)} ${argumentsToApprove(args, MAX_APPROVED_ARGUMENTS)}`;
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
