import { newestUserContent, pairCalls } from '@thole/core/kit';
import type { Content, JsonObject, Part } from '@thole/core';
import type { Endpoint, PairedCalls } from '@thole/core/kit';
import { answerFiles, toGeminiAnswer } from './to-gemini-answer.ts';
import { idGivenTo, toGeminiPart } from './to-gemini-part.ts';

type Sent = { role: 'user' | 'model'; parts: JsonObject[] };

/** Replaces a missing signature. Google documents it for histories that another model began. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Sent as the only message if a request has none: the API rejects empty contents. */
const NO_MESSAGE = 'Follow the system instruction.';

/**
 * Returns the history in Gemini's format. Answers to calls are a separate content, directly after the calls and
 * before the user's other parts. Every call has one answer: the last one, or one that says it is pending.
 * Consecutive contents of the model are joined. If a model needs a signature on the first call of each step of the
 * current turn and there is none, it gets the documented placeholder. Throws `INVALID_INPUT` for data in the newest
 * message that Gemini cannot read; elsewhere a line of text names its type.
 */
export function toGeminiContents(
  contents: readonly Content[],
  { model, endpoint }: { model: string; endpoint: Endpoint },
): JsonObject[] {
  const paired = pairCalls(contents);
  const newest = newestUserContent(contents);
  const idOf = givenIds(contents, paired, endpoint);
  const inAnswer = isGemini3(model);
  const answered = new Set<object>();
  const sent: Sent[] = [];

  const toAnswers = (at: number, parts: readonly Part[]): { answers: JsonObject[]; files: JsonObject[] } => {
    const answers: JsonObject[] = [];
    const files: JsonObject[] = [];
    for (const [i, part] of parts.entries()) {
      if (!part.functionResponse) continue;
      const pair = paired.at(at, i);
      if (pair && answered.has(pair)) continue;
      if (pair) answered.add(pair);
      const answer = pair?.answer ?? part.functionResponse;
      const of = answer === part.functionResponse ? part : { functionResponse: answer };
      answers.push(toGeminiAnswer(of, { id: pair && idOf(pair), inAnswer, endpoint }));
      if (!inAnswer) files.push(...answerFiles(answer));
    }
    return { answers, files };
  };

  for (const [at, { role = 'user', parts = [] }] of contents.entries()) {
    const { answers, files } = toAnswers(at, parts);
    if (answers.length > 0) append(sent, { role: 'user', parts: answers });
    const isNewest = at === newest;
    const others = parts
      .filter((part) => !part.functionResponse)
      .map((part) => toGeminiPart(part, { endpoint, isNewest }))
      .filter((part) => part !== undefined);
    const rest = [...files, ...others];
    if (rest.length > 0) append(sent, { role, parts: rest });
    const pending = paired.openIn(at).map((pair) => pendingAnswer(pair.call.name, idOf(pair)));
    if (pending.length > 0) append(sent, { role: 'user', parts: pending });
  }
  if (sent.length === 0) return [{ role: 'user', parts: [{ text: NO_MESSAGE }] }];
  if (isGemini3(model)) signCurrentTurn(sent);
  return sent;
}

/** Returns the id that Gemini gave the call of a pair. */
function givenIds(
  contents: readonly Content[],
  { calls }: PairedCalls,
  endpoint: Endpoint,
): (pair: PairedCalls['calls'][number]) => string | undefined {
  const ids = new Map(
    calls.map((pair) => [pair, idGivenTo(contents[pair.content]!.parts![pair.part]!, endpoint)] as const),
  );
  return (pair) => ids.get(pair);
}

function pendingAnswer(name: string, id: string | undefined): JsonObject {
  const response = { status: 'pending', message: 'There is no answer yet.' };
  return { functionResponse: { ...(id !== undefined && { id }), name, response } };
}

function append(sent: Sent[], next: Sent): void {
  const last = sent.at(-1);
  const isOne = last?.role === next.role && (next.role === 'model' || (isAnswers(last) && isAnswers(next)));
  if (isOne) for (const part of next.parts) last.parts.push(part);
  else sent.push(next);
}

const isAnswers = ({ role, parts }: Sent): boolean => role === 'user' && 'functionResponse' in parts[0]!;

/**
 * True for Gemini 3 and newer, also for the aliases of the newest model. They need signatures on calls and accept
 * files within answers.
 */
function isGemini3(model: string): boolean {
  const version = /gemini-(\d+)/.exec(model)?.[1];
  return version === undefined ? /gemini-[a-z-]*latest/.test(model) : Number(version) >= 3;
}

/** A turn begins with the user's last message that holds more than answers to calls. */
function signCurrentTurn(sent: readonly Sent[]): void {
  const begin = sent.findLastIndex((content) => content.role === 'user' && !isAnswers(content));
  for (const { role, parts } of sent.slice(begin + 1)) {
    const first = role === 'model' ? parts.find((part) => 'functionCall' in part) : undefined;
    if (first && first['thoughtSignature'] === undefined) first['thoughtSignature'] = NO_SIGNATURE;
  }
}
