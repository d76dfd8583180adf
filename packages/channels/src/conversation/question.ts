import { argumentsToApprove, callToApprove, isPlainObject, parseJson } from '@thole/core/kit';
import type { Interrupt, Json } from '@thole/core';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import type { Texts } from '../dispatcher/texts.ts';

/** Maximum number of characters of a call's arguments. With a usual message, the question fits into one message of Telegram. */
const MAX_ARGUMENTS = 3_000;

/** True if the next message of the user may answer this interrupt. */
export function isQuestion({ kind }: Interrupt): boolean {
  return kind === 'confirmation' || kind === 'input';
}

/** Returns the question that was sent last: the first question of the invocation that has made the newest request. */
export function lastQuestion(questions: readonly Interrupt[]): Interrupt | undefined {
  const newest = questions.at(-1);
  return questions.find(({ invocationId }) => invocationId === newest!.invocationId);
}

/** Returns the question for an interrupt. Undefined if a person cannot answer it. */
export function questionFor(interrupt: Interrupt, texts: Texts): OutboundMessage | undefined {
  const { kind, message, payload, responseSchema, toolName } = interrupt;
  if (kind === 'confirmation') {
    const lines = [message, callLine(interrupt)].filter((line) => line !== undefined && line !== '');
    const choices = [texts.yes[0]!, texts.no[0]!];
    return { text: [...lines, `(${choices.join(' / ')})`].join('\n'), choices };
  }
  if (kind === 'input') {
    const choices = enumOf(responseSchema);
    const text = message || `${toolName ?? 'The agent'} needs an answer.`;
    if (!choices) return { text };
    return { text: `${text}\n(${choices.join(' / ')})`, choices };
  }
  const uri = kind === 'credential' ? findAuthUri(payload) : undefined;
  return uri === undefined ? undefined : { text: `${message || 'Please sign in:'} ${uri}` };
}

/**
 * Returns the possible answers in a text, most likely first. Empty if the text does not answer the question; then it is a message for
 * the agent. Only a word of `texts.yes` approves a call.
 */
export function parseAnswers(text: string, { kind, responseSchema }: Interrupt, texts: Texts): Json[] {
  // Without the lookbehind, a long series of full stops inside the text would take quadratic time.
  const word = text
    .toLowerCase()
    .replace(/(?<![\s.!])[\s.!]+$/u, '')
    .trim();
  const isYes = texts.yes.some((each) => each.toLowerCase() === word);
  const isNo = texts.no.some((each) => each.toLowerCase() === word);
  if (kind === 'confirmation') return isYes ? [true] : isNo ? [false] : [];
  const answers: Json[] = responseSchema === undefined || responseSchema['type'] === 'string' ? [text] : [];
  const json = parseJson(text);
  if (answers.length === 0 && json !== undefined) answers.push(json);
  if (answers.length === 0 && (isYes || isNo)) answers.push(isYes);
  return answers.length === 0 || answers[0] === text ? [text] : [...answers, text];
}

/** Returns the call as a line, so that the person knows what an approval does. */
function callLine(interrupt: Interrupt): string | undefined {
  const { args, toolName } = callToApprove(interrupt);
  if (toolName === undefined || Object.keys(args).length === 0) return toolName;
  return `${toolName} ${argumentsToApprove(args, MAX_ARGUMENTS)}`;
}

function enumOf(schema: Interrupt['responseSchema']): string[] | undefined {
  const values = schema?.['enum'];
  if (!Array.isArray(values) || values.length === 0 || values.length > 10) return undefined;
  return values.every((value) => typeof value === 'string') ? (values as string[]) : undefined;
}

function findAuthUri(payload: Json | undefined): string | undefined {
  if (!isPlainObject(payload)) return undefined;
  for (const [name, value] of Object.entries(payload)) {
    if ((name === 'authUri' || name === 'auth_uri') && typeof value === 'string') return value;
    const inner = findAuthUri(value as Json);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
