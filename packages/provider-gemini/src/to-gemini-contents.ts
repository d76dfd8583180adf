import { FIRST_MESSAGE, LAST_MESSAGE, newestUserContent, pairCalls, PENDING_ANSWER } from '@thole/core/kit';
import type { Content, JsonObject, Part } from '@thole/core';
import type { Endpoint, PairedCalls } from '@thole/core/kit';
import { answerFiles, toGeminiAnswer } from './to-gemini-answer.ts';
import { geminiIdOf, toGeminiName, toGeminiPart } from './to-gemini-part.ts';

type GeminiContent = { role: 'user' | 'model'; parts: JsonObject[] };

/** Sent instead of a missing signature. Google documents it for histories that another model began. */
const PLACEHOLDER_SIGNATURE = 'skip_thought_signature_validator';

/**
 * Returns the history in Gemini's format. Answers to calls are a separate content, directly after the calls and
 * before the user's other parts. Every call has one answer: the last one, or one that says it is pending.
 * Consecutive contents of the model are joined. If a model needs a signature on the first call of each step of the
 * current turn, a missing signature is replaced by the documented placeholder. Throws `INVALID_INPUT` for data in the newest
 * message that Gemini cannot read; elsewhere a line of text names its type.
 */
export function toGeminiContents(
  contents: readonly Content[],
  { model, endpoint }: { model: string; endpoint: Endpoint },
): JsonObject[] {
  const paired = pairCalls(contents);
  const newest = newestUserContent(contents);
  const idOf = geminiIds(contents, paired, endpoint);
  const includesFiles = isGemini3(model);
  const answered = new Set<object>();
  const sent: GeminiContent[] = [];

  const toAnswers = (index: number, parts: readonly Part[]): { answers: JsonObject[]; files: JsonObject[] } => {
    const answers: JsonObject[] = [];
    const files: JsonObject[] = [];
    for (const [i, part] of parts.entries()) {
      if (!part.functionResponse) continue;
      const pair = paired.at(index, i);
      if (pair && answered.has(pair)) continue;
      if (pair) answered.add(pair);
      const answer = pair?.answer ?? part.functionResponse;
      const answerPart = answer === part.functionResponse ? part : { functionResponse: answer };
      answers.push(toGeminiAnswer(answerPart, { id: pair && idOf(pair), includesFiles, endpoint }));
      if (!includesFiles) files.push(...answerFiles(answer));
    }
    return { answers, files };
  };

  for (const [index, { role = 'user', parts = [] }] of contents.entries()) {
    const { answers, files } = toAnswers(index, parts);
    if (answers.length > 0) append(sent, { role: 'user', parts: answers });
    const isNewest = index === newest;
    const others = parts
      .filter((part) => !part.functionResponse)
      .map((part) => toGeminiPart(part, { endpoint, isNewest }))
      .filter((part) => part !== undefined);
    const rest = [...files, ...others];
    if (rest.length > 0) append(sent, { role, parts: rest });
    const pending = paired.openIn(index).map((pair) => pendingAnswer(pair.call.name, idOf(pair)));
    if (pending.length > 0) append(sent, { role: 'user', parts: pending });
  }
  // The API rejects empty contents, and calls that do not follow the user. A history begins with calls after a compaction.
  if (sent.length === 0 || sent[0]!.parts.some((part) => 'functionCall' in part))
    sent.unshift({ role: 'user', parts: [{ text: FIRST_MESSAGE }] });
  if (sent.at(-1)!.role === 'model') sent.push({ role: 'user', parts: [{ text: LAST_MESSAGE }] });
  if (isGemini3(model)) signCurrentTurn(sent);
  return sent;
}

/** Returns a function that finds Gemini's id of a paired call. */
function geminiIds(
  contents: readonly Content[],
  { calls }: PairedCalls,
  endpoint: Endpoint,
): (pair: PairedCalls['calls'][number]) => string | undefined {
  const ids = new Map(
    calls.map((pair) => [pair, geminiIdOf(contents[pair.content]!.parts![pair.part]!, endpoint)] as const),
  );
  return (pair) => ids.get(pair);
}

function pendingAnswer(name: string, id: string | undefined): JsonObject {
  return { functionResponse: { ...(id !== undefined && { id }), name: toGeminiName(name), response: PENDING_ANSWER } };
}

function append(sent: GeminiContent[], next: GeminiContent): void {
  const last = sent.at(-1);
  const canJoin = last?.role === next.role && (next.role === 'model' || (isAnswers(last) && isAnswers(next)));
  if (canJoin) for (const part of next.parts) last.parts.push(part);
  else sent.push(next);
}

const isAnswers = ({ role, parts }: GeminiContent): boolean => role === 'user' && 'functionResponse' in parts[0]!;

/**
 * True for Gemini 3 and newer, also for the aliases of the newest model. They need signatures on calls and accept
 * files within answers.
 */
export function isGemini3(model: string): boolean {
  const version = /gemini-(\d+)/.exec(model)?.[1];
  return version === undefined ? /gemini-[a-z-]*latest/.test(model) : Number(version) >= 3;
}

/** Adds the placeholder to unsigned calls. The turn begins with the user's last message that is not an answer to calls. */
function signCurrentTurn(sent: readonly GeminiContent[]): void {
  const start = sent.findLastIndex((content) => content.role === 'user' && !isAnswers(content));
  for (const { role, parts } of sent.slice(start + 1)) {
    const first = role === 'model' ? parts.find((part) => 'functionCall' in part) : undefined;
    if (first && first['thoughtSignature'] === undefined) first['thoughtSignature'] = PLACEHOLDER_SIGNATURE;
  }
}
