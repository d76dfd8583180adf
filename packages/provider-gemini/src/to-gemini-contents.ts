import { TholeError } from '@thole/core';
import type { Content, JsonObject, Part } from '@thole/core';
import { idGivenTo, toGeminiPart } from './to-gemini-part.ts';

type Sent = { role: 'user' | 'model'; parts: JsonObject[] };

/** What stands in place of a signature that nobody has; Google documents it for histories that another model began. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/**
 * The history as Gemini takes it: answers to calls stand by themselves, right after the calls and before what else the user said;
 * the model's contents on end are one. Models that want a signature on the first call of each step of the current turn get the
 * documented placeholder where there is none.
 */
export function toGeminiContents(contents: readonly Content[], model: string): JsonObject[] {
  const sentIds = new Set(contents.flatMap(({ parts = [] }) => parts.map(idGivenTo)).filter((id) => id !== undefined));
  const sent: Sent[] = [];
  for (const { role = 'user', parts = [] } of contents) {
    for (const group of role === 'user' ? answersFirst(parts) : [parts]) {
      const taken = group.map((part) => toGeminiPart(part, sentIds)).filter((part) => part !== undefined);
      if (taken.length > 0) append(sent, { role, parts: taken });
    }
  }
  if (sent.length === 0)
    throw new TholeError('INVALID_INPUT', 'There is nothing in contents that Gemini could be sent.');
  if (wantsSignatures(model)) signCurrentTurn(sent);
  return sent;
}

function answersFirst(parts: readonly Part[]): (readonly Part[])[] {
  if (!parts.some((part) => part.functionResponse)) return [parts];
  return [parts.filter((part) => part.functionResponse), parts.filter((part) => !part.functionResponse)];
}

function append(sent: Sent[], next: Sent): void {
  const last = sent.at(-1);
  const isOne = last?.role === next.role && (next.role === 'model' || (isAnswers(last) && isAnswers(next)));
  if (isOne) last.parts.push(...next.parts);
  else sent.push(next);
}

const isAnswers = ({ role, parts }: Sent): boolean =>
  role === 'user' && parts.every((part) => 'functionResponse' in part);

/** Gemini 3 and everything after it, the aliases of the newest too. */
function wantsSignatures(model: string): boolean {
  const version = /gemini-(\d+)/.exec(model)?.[1];
  return version === undefined ? /gemini-[a-z-]*latest/.test(model) : Number(version) >= 3;
}

/** A turn begins with the last message of the user that is more than answers to calls. */
function signCurrentTurn(sent: readonly Sent[]): void {
  const begin = sent.findLastIndex((content) => content.role === 'user' && !isAnswers(content));
  for (const { role, parts } of sent.slice(begin + 1)) {
    const first = role === 'model' ? parts.find((part) => 'functionCall' in part) : undefined;
    if (first && first['thoughtSignature'] === undefined) first['thoughtSignature'] = NO_SIGNATURE;
  }
}
