import { isPlainObject, typeName } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';

/**
 * True if a callback with this name has returned a result. False for undefined and null: then the next callback is called.
 * Only `onEventCallback` may return null, which drops the event. Results of notification callbacks are ignored.
 */
export function isAnswer(callback: string, answer: unknown): boolean {
  if (answer === undefined || NOTIFICATIONS.has(callback)) return false;
  return answer !== null || callback === 'onEventCallback';
}

/** Returns the problem with the shape of a result, as the end of a sentence that begins with the callback's name. */
export function problemWithAnswer(callback: string, answer: unknown): string | undefined {
  const shape = SHAPES[callback];
  if (!shape || (answer === null && callback === 'onEventCallback')) return undefined;
  if (shape.fits(answer)) return undefined;
  const hint = shape.hint?.(answer);
  return `must return ${shape.expected} or undefined, got ${typeName(answer)}${hint ? `: ${hint}` : ''}.`;
}

const NOTIFICATIONS: ReadonlySet<string> = new Set(['afterRunCallback', 'onAgentErrorCallback', 'onRunErrorCallback']);

interface Shape {
  readonly expected: string;
  fits(answer: unknown): boolean;
  hint?(answer: unknown): string | undefined;
}

const content: Shape = {
  expected: 'a Content {role, parts: [{text}]}',
  fits: isContent,
  hint: (answer) =>
    isPlainObject(answer) && 'content' in answer ? 'return its `content`, not the whole of it' : undefined,
};

const response: Shape = {
  expected: 'an LlmResponse {content: {role, parts: [{text}]}}',
  // A model may answer with an empty object, which ends in `MODEL_EMPTY`. A callback has forgotten its answer.
  fits: (answer) => isLlmResponse(answer) && Object.keys(answer).length > 0,
  hint: (answer) => {
    if (!isPlainObject(answer)) return undefined;
    if (Object.keys(answer).length === 0) return 'it is empty, so return undefined to change nothing';
    return 'parts' in answer ? 'wrap it as {content}' : undefined;
  },
};

const toolAnswer: Shape = {
  expected: 'an object',
  fits: (answer) => typeof answer === 'object' && answer !== null && !Array.isArray(answer),
  hint: (answer) => (isPlainObject(answer) ? undefined : 'wrap it as {result}'),
};

const event: Shape = {
  expected: 'an Event, null to drop it,',
  fits: (answer) =>
    isPlainObject(answer) && typeof answer['id'] === 'string' && isPlainObject(answer['actions']) && hasContent(answer),
  hint: () => 'change a copy, {...event}',
};

const history: Shape = {
  expected: 'a list of events, {fromSeq}',
  fits: (answer) => Array.isArray(answer) || (isPlainObject(answer) && typeof answer['fromSeq'] === 'number'),
};

const SHAPES: { readonly [callback: string]: Shape | undefined } = {
  onUserMessageCallback: content,
  beforeRunCallback: content,
  beforeAgentCallback: content,
  afterAgentCallback: content,
  beforeModelCallback: response,
  afterModelCallback: response,
  onModelErrorCallback: response,
  beforeToolCallback: toolAnswer,
  afterToolCallback: toolAnswer,
  onToolErrorCallback: toolAnswer,
  onEventCallback: event,
  selectHistoryCallback: history,
};

const RESPONSE_MEMBERS = {
  content: true,
  partial: true,
  turnComplete: true,
  finishReason: true,
  errorCode: true,
  errorMessage: true,
  interrupted: true,
  usageMetadata: true,
  groundingMetadata: true,
  citationMetadata: true,
  inputTranscription: true,
  outputTranscription: true,
  modelVersion: true,
  customMetadata: true,
} satisfies Record<keyof LlmResponse, true>;

/** True if the value has the shape of a model's response: at least one of its members, and a content with parts. */
export function isLlmResponse(value: unknown): value is LlmResponse {
  if (!isPlainObject(value)) return false;
  return hasContent(value) && (value['content'] !== undefined || hasResponseMember(value));
}

/** Also true for an empty object, which is a response without content. */
function hasResponseMember(value: object): boolean {
  const names = Object.keys(value);
  return names.length === 0 || names.some((name) => Object.hasOwn(RESPONSE_MEMBERS, name));
}

/** True unless the event or response has a content of the wrong shape. */
function hasContent({ content: given }: { [name: string]: unknown }): boolean {
  return given === undefined || (isPlainObject(given) && (given['parts'] === undefined || isContent(given)));
}

function isContent(value: unknown): boolean {
  return isPlainObject(value) && Array.isArray(value['parts']) && value['parts'].every(isPart);
}

function isPart(value: unknown): boolean {
  return isPlainObject(value) && (value['text'] === undefined || typeof value['text'] === 'string');
}
