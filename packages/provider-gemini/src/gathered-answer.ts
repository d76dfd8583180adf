import { TholeError } from '@thole/core';
import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject, LlmResponse, Part, Usage } from '@thole/core';
import { Citations } from './citations.ts';
import { blockOf } from './block-of.ts';
import { GivenCall, isEndMark } from './given-call.ts';
import { JoinedLists } from './joined-lists.ts';
import { AudioPieces, isAudio } from './audio-pieces.ts';
import { GEMINI, isBareText, ownPart } from './own-part.ts';
import { addUsage, usageCounts, usageOf } from './read-usage.ts';

type Raw = { readonly [key: string]: unknown };

/**
 * Collects one answer of Gemini from any number of chunks, so that streamed and complete answers give the same
 * result. Adjacent texts of a kind become one part; a part with a signature stays separate. Members without a place
 * in `LlmResponse` are kept in `customMetadata.gemini`.
 */
export class GatheredAnswer {
  readonly #endpoint: string;
  readonly #parts: (Part | InPieces)[] = [];
  #lastCall: GivenCall | undefined;
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

  /** `endpoint` is the name for parts that only this endpoint understands. */
  constructor(endpoint: string = GEMINI) {
    this.#endpoint = endpoint;
  }

  /** Adds a chunk and returns its new texts. */
  add(piece: Raw): Part[] {
    const { candidates, promptFeedback, usageMetadata, modelVersion, ...rest } = piece;
    keep(this.#rest, rest);
    if (typeof modelVersion === 'string') this.#modelVersion = modelVersion;
    if (isPlainObject(usageMetadata)) this.#usage = { ...this.#usage, ...usageMetadata };
    if (isPlainObject(promptFeedback)) this.#addFeedback(promptFeedback);
    const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    return isPlainObject(candidate) ? this.#addCandidate(candidate) : [];
  }

  /** True if the answer is complete and does not miss its rest. */
  get isEnded(): boolean {
    return this.#finishReason !== undefined || this.#blockReason !== undefined;
  }

  /** True if more of the answer can be requested. */
  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /**
   * Returns the token for the next request of an answer in several requests. Undefined if there is none. Throws
   * `MODEL_INCOMPLETE` if the provider only repeats itself.
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
  final(): LlmResponse {
    const parts = this.#parts.map((part) => (isInPieces(part) ? part.toPart(this.#endpoint) : part));
    const finishReason = this.#finishReason ?? this.#blockReason;
    const usage = addUsage(this.#earlierUsage, usageOf(this.#usage));
    const rest = this.#restOf();
    return {
      ...(parts.length > 0 && { content: { role: 'model', parts } }),
      ...(finishReason !== undefined && { finishReason }),
      ...blockOf({
        finishReason: this.#finishReason,
        finishMessage: this.#finishMessage,
        blockReason: this.#blockReason,
        blockMessage: this.#blockMessage,
      }),
      ...(usage && { usageMetadata: usage }),
      ...(this.#grounding && { groundingMetadata: this.#grounding }),
      ...(this.#citations && { citationMetadata: this.#citations.whole() }),
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
    keep(this.#candidateRest, rest);
    if (!isPlainObject(content)) return [];
    const { parts, role: __, ...contentRest } = content;
    if (Object.keys(contentRest).length > 0) keep(this.#candidateRest, { content: contentRest });
    return Array.isArray(parts) ? parts.flatMap((part) => (isPlainObject(part) ? this.#addPart(part) : [])) : [];
  }

  #addPart(raw: Raw): Part[] {
    if (isPlainObject(raw['functionCall'])) {
      this.#addCall(raw, raw['functionCall']);
      return [];
    }
    if (Object.keys(raw).length === 0) return [];
    if (isAudio(raw)) return this.#addAudio(raw);
    const part = ownPart(raw, this.#endpoint);
    if (!isBareText(part)) {
      this.#parts.push(part);
      return part.text ? [textPart(part.text, part.thought)] : [];
    }
    if (part.text === '') return [];
    const last = this.#parts.at(-1);
    if (last && !isInPieces(last) && isBareText(last) && !last.thought === !part.thought) last.text += part.text;
    else this.#parts.push(part);
    return [textPart(part.text, part.thought)];
  }

  #addCall(raw: Raw, call: Raw): void {
    if (this.#lastCall?.add(raw, call) || isEndMark(call)) return;
    this.#lastCall = new GivenCall(raw, call);
    this.#parts.push(this.#lastCall);
  }

  #addAudio(raw: Raw): Part[] {
    const isNext = this.#lastAudio !== undefined && this.#parts.at(-1) === this.#lastAudio;
    if (!isNext || !this.#lastAudio?.add(raw)) this.#parts.push((this.#lastAudio = new AudioPieces(raw)));
    return [ownPart(raw, this.#endpoint)];
  }

  #restOf(): JsonObject {
    const usage: JsonObject = {};
    for (const [name, value] of Object.entries(this.#usage ?? {}))
      if (!usageCounts.includes(name as keyof Usage)) usage[name] = value as Json;
    const candidate = {
      ...this.#candidateRest,
      ...(this.#logprobs && { logprobsResult: this.#logprobs.whole() }),
      ...(this.#finishMessage !== undefined && { finishMessage: this.#finishMessage }),
    };
    return {
      ...this.#rest,
      ...(Object.keys(candidate).length > 0 && { candidate }),
      ...(Object.keys(usage).length > 0 && { usageMetadata: usage }),
    };
  }
}

/** A part that may arrive in several chunks. */
interface InPieces {
  toPart(endpoint: string): Part;
}

function isInPieces(part: Part | InPieces): part is InPieces {
  return 'toPart' in part && typeof part.toPart === 'function';
}

function textPart(text: string, thought: boolean | undefined): Part {
  return thought ? { text, thought } : { text };
}

function keep(kept: { [key: string]: Json }, rest: Raw): void {
  for (const key of Object.keys(rest)) if (rest[key] !== undefined) setOwn(kept, key, rest[key] as Json);
}
