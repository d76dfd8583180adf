import { TholeError } from '@thole/core';
import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject, LlmResponse, Part, Usage } from '@thole/core';
import { Citations } from './citations.ts';
import { toAnswerError } from './to-answer-error.ts';
import { CallBuilder, isEndMarker } from './call-builder.ts';
import { JoinedLists } from './joined-lists.ts';
import { AudioPieces, isAudio } from './audio-pieces.ts';
import { GEMINI, isBareText, fromGeminiPart } from './from-gemini-part.ts';
import { addUsage, usageCounts, usageOf } from './read-usage.ts';

type Raw = { readonly [key: string]: unknown };

/**
 * Builds a response from the chunks of one answer. Streamed and complete answers give the same result. Adjacent texts
 * of a kind become one part; a part with a signature stays separate. Members that `LlmResponse` does not have are kept
 * in `customMetadata.gemini`.
 */
export class AnswerBuilder {
  readonly #endpoint: string;
  readonly #parts: (Part | PartBuilder)[] = [];
  #lastCall: CallBuilder | undefined;
  #lastAudio: AudioPieces | undefined;
  readonly #rest: { [key: string]: Json } = {};
  readonly #candidateRest: { [key: string]: Json } = {};
  #finishReason: string | undefined;
  #finishMessage: string | undefined;
  #blockReason: string | undefined;
  #blockMessage: string | undefined;
  #modelVersion: string | undefined;
  #usage: Raw | undefined;
  #earlierUsage: Usage | undefined;
  #grounding: JsonObject | undefined;
  #citations: Citations | undefined;
  #logprobs: JoinedLists | undefined;
  #token: string | undefined;
  #lastToken: string | undefined;

  /** `endpoint` is written into parts that only this endpoint understands. */
  constructor(endpoint: string = GEMINI) {
    this.#endpoint = endpoint;
  }

  /** Adds a chunk and returns the parts to stream: its texts and audio. */
  add(chunk: Raw): Part[] {
    const { candidates, promptFeedback, usageMetadata, modelVersion, ...rest } = chunk;
    assign(this.#rest, rest);
    if (typeof modelVersion === 'string') this.#modelVersion = modelVersion;
    if (isPlainObject(usageMetadata)) this.#usage = { ...this.#usage, ...usageMetadata };
    if (isPlainObject(promptFeedback)) this.#addFeedback(promptFeedback);
    const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    return isPlainObject(candidate) ? this.#addCandidate(candidate) : [];
  }

  /** True if the answer has a finish reason or a block reason. */
  get isEnded(): boolean {
    return this.#finishReason !== undefined || this.#blockReason !== undefined;
  }

  /** True if the server sent a token to request the rest of the answer. */
  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /**
   * Returns the token with which the rest of the answer is requested. Undefined if the answer is complete. Throws
   * `MODEL_INCOMPLETE` if the server sends the same token again.
   */
  takeToken(): string | undefined {
    const token = this.#token;
    if (token === undefined || (this.#finishReason !== undefined && this.#finishReason !== 'CONTINUATION'))
      return undefined;
    if (token === this.#lastToken)
      throw new TholeError('MODEL_INCOMPLETE', 'Gemini announced more of its answer, but sent nothing more.');
    this.#lastToken = token;
    this.#token = undefined;
    this.#finishReason = undefined;
    this.#earlierUsage = addUsage(this.#earlierUsage, usageOf(this.#usage));
    this.#usage = undefined;
    return token;
  }

  /** Returns the final response. */
  toResponse(): LlmResponse {
    const received = this.#parts.map((part) => (isPartBuilder(part) ? part.toPart(this.#endpoint) : part));
    const error = toAnswerError({
      parts: received,
      finishReason: this.#finishReason,
      finishMessage: this.#finishMessage,
      blockReason: this.#blockReason,
      blockMessage: this.#blockMessage,
    });
    // The calls of a blocked answer must not run.
    const parts = error.errorCode === undefined ? received : received.filter((part) => part.functionCall === undefined);
    const finishReason = this.#finishReason ?? this.#blockReason;
    const usage = addUsage(this.#earlierUsage, usageOf(this.#usage));
    const rest = this.#otherMembers();
    return {
      ...(parts.length > 0 && { content: { role: 'model', parts } }),
      ...(finishReason !== undefined && { finishReason }),
      ...error,
      ...(usage && { usageMetadata: usage }),
      ...(this.#grounding && { groundingMetadata: this.#grounding }),
      ...(this.#citations && { citationMetadata: this.#citations.toMetadata() }),
      ...(this.#modelVersion !== undefined && { modelVersion: this.#modelVersion }),
      ...(Object.keys(rest).length > 0 && { customMetadata: { gemini: rest } }),
    };
  }

  #addFeedback(feedback: Raw): void {
    this.#rest['promptFeedback'] = feedback as JsonObject;
    const { blockReason, blockReasonMessage } = feedback;
    if (typeof blockReason === 'string') this.#blockReason = blockReason;
    if (typeof blockReasonMessage === 'string') this.#blockMessage = blockReasonMessage;
  }

  #addCandidate(candidate: Raw): Part[] {
    const { content, finishReason, finishMessage, continuationToken, index: _, ...more } = candidate;
    const { groundingMetadata, citationMetadata, logprobsResult, ...rest } = more;
    if (typeof finishReason === 'string' && finishReason !== '') this.#finishReason = finishReason;
    if (typeof finishMessage === 'string') this.#finishMessage = finishMessage;
    if (typeof continuationToken === 'string' && continuationToken !== '') this.#token = continuationToken;
    if (isPlainObject(groundingMetadata))
      this.#grounding = { ...this.#grounding, ...(groundingMetadata as JsonObject) };
    if (isPlainObject(citationMetadata)) (this.#citations ??= new Citations()).add(citationMetadata);
    if (isPlainObject(logprobsResult)) (this.#logprobs ??= new JoinedLists()).add(logprobsResult as JsonObject);
    assign(this.#candidateRest, rest);
    if (!isPlainObject(content)) return [];
    const { parts, role: __, ...contentRest } = content;
    if (Object.keys(contentRest).length > 0) assign(this.#candidateRest, { content: contentRest });
    return Array.isArray(parts)
      ? parts.flatMap((part) => (isPlainObject(part) ? this.#addPart(withoutNulls(part)) : []))
      : [];
  }

  #addPart(raw: Raw): Part[] {
    if (isPlainObject(raw['functionCall'])) {
      this.#addCall(raw, raw['functionCall']);
      return [];
    }
    if (Object.keys(raw).length === 0) return [];
    if (isAudio(raw)) return this.#addAudio(raw);
    const part = fromGeminiPart(raw, this.#endpoint);
    if (!isBareText(part)) {
      this.#parts.push(part);
      return part.text ? [textPart(part.text, part.thought)] : [];
    }
    if (part.text === '') return [];
    const last = this.#parts.at(-1);
    if (last && !isPartBuilder(last) && isBareText(last) && !last.thought === !part.thought) last.text += part.text;
    else this.#parts.push(part);
    return [textPart(part.text, part.thought)];
  }

  #addCall(raw: Raw, call: Raw): void {
    if (this.#lastCall?.add(raw, call) || isEndMarker(call)) return;
    this.#lastCall = new CallBuilder(raw, call);
    this.#parts.push(this.#lastCall);
  }

  #addAudio(raw: Raw): Part[] {
    if (this.#parts.at(-1) !== this.#lastAudio || !this.#lastAudio?.add(raw))
      this.#parts.push((this.#lastAudio = new AudioPieces(raw)));
    return [fromGeminiPart(raw, this.#endpoint)];
  }

  #otherMembers(): JsonObject {
    const usage: JsonObject = {};
    for (const [name, value] of Object.entries(this.#usage ?? {}))
      if (!usageCounts.includes(name as keyof Usage)) usage[name] = value as Json;
    const candidate = {
      ...this.#candidateRest,
      ...(this.#logprobs && { logprobsResult: this.#logprobs.toObject() }),
      ...(this.#finishMessage !== undefined && { finishMessage: this.#finishMessage }),
    };
    return {
      ...this.#rest,
      ...(Object.keys(candidate).length > 0 && { candidate }),
      ...(Object.keys(usage).length > 0 && { usageMetadata: usage }),
    };
  }
}

/** Builds a part that may arrive in several chunks. */
interface PartBuilder {
  toPart(endpoint: string): Part;
}

function isPartBuilder(part: Part | PartBuilder): part is PartBuilder {
  return 'toPart' in part && typeof part.toPart === 'function';
}

function textPart(text: string, thought: boolean | undefined): Part {
  return thought ? { text, thought } : { text };
}

function assign(target: { [key: string]: Json }, members: Raw): void {
  for (const key of Object.keys(members)) if (members[key] !== undefined) setOwn(target, key, members[key] as Json);
}

/** Returns the part without members that are null, which some gateways send for missing members. */
function withoutNulls(part: Raw): Raw {
  if (!Object.values(part).includes(null)) return part;
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
}
