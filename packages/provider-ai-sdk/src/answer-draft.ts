import { encodeBase64, getOwn, isPlainObject, readCallArgs, setOwn } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';

/** Content of an answer in the AI SDK's format. Its members are not validated. */
export interface AnswerContent {
  readonly [member: string]: unknown;
}

/** Type of a content that may arrive in pieces. */
export type PassageType = 'text' | 'reasoning';
/** Step of a passage in a stream. */
export type PassageStep = 'start' | 'delta' | 'end';

/** A text or reasoning content that may arrive in pieces. */
interface Passage extends AnswerContent {
  readonly type: PassageType;
  text: string;
  metadata: JsonObject | undefined;
  citations: readonly unknown[];
}

/** Sources of an answer, and the citations of them. */
export interface CitedSources {
  readonly sources: readonly AnswerContent[];
  readonly citations: readonly { readonly partIndex: number; readonly citation: AnswerContent }[];
}

/** The parts of an answer, and its content that is neither a part nor in the mark of a part. */
export interface AnswerParts extends CitedSources {
  readonly parts: Part[];
  readonly others: readonly JsonObject[];
}

/** Collects the content of an answer in order, complete or from a stream. */
export class AnswerDraft {
  readonly #contents: AnswerContent[] = [];
  readonly #open = new Map<string, Passage>();

  /** Adds a step of a passage that arrives in pieces. */
  addStep(type: PassageType, step: PassageStep, { id, delta, providerMetadata, citations }: AnswerContent): void {
    const key = `${type} ${String(id)}`;
    const known = step === 'start' ? undefined : this.#open.get(key);
    const passage = known ?? { type, text: '', metadata: undefined, citations: [] };
    if (!known) this.#contents.push(passage);
    if (step === 'delta' && typeof delta === 'string') passage.text += delta;
    passage.metadata = mergeMetadata(passage.metadata, toJson(providerMetadata));
    if (step === 'end' && Array.isArray(citations)) passage.citations = citations;
    if (step === 'end') this.#open.delete(key);
    else this.#open.set(key, passage);
  }

  /** Adds complete content: a call, a file, a source, or a passage that is not streamed. */
  add(content: AnswerContent): void {
    const { type, text, providerMetadata, citations } = content;
    if (type !== 'text' && type !== 'reasoning') {
      this.#contents.push(content);
      return;
    }
    this.#contents.push({
      type,
      text: typeof text === 'string' ? text : '',
      metadata: toJson(providerMetadata),
      citations: Array.isArray(citations) ? citations : [],
    } satisfies Passage);
  }

  /** Returns the parts. Data that only the provider understands is in their `partMetadata`. */
  toParts(endpoint: string): AnswerParts {
    const parts: Part[] = [];
    const sources: AnswerContent[] = [];
    const citations: { partIndex: number; citation: AnswerContent }[] = [];
    let unplaced: JsonObject[] = [];
    for (const content of this.#contents) {
      if (content['type'] === 'source') sources.push(content);
      const part = toPart(content);
      if (!part) {
        const other = toOther(content);
        if (other) unplaced.push(other);
        continue;
      }
      for (const citation of isPassage(content) ? content.citations : [])
        if (isPlainObject(citation)) citations.push({ partIndex: parts.length, citation });
      parts.push(withMark(part, endpoint, { metadata: metadataOf(content), before: unplaced }));
      unplaced = [];
    }
    const last = parts.pop();
    if (last) parts.push(unplaced.length > 0 ? withMark(last, endpoint, { after: unplaced }) : last);
    return { parts, others: last ? [] : unplaced, sources, citations };
  }
}

function isPassage(content: AnswerContent): content is Passage {
  return content['type'] === 'text' || content['type'] === 'reasoning';
}

function metadataOf(content: AnswerContent): JsonObject | undefined {
  return isPassage(content) ? content.metadata : toJson(content['providerMetadata']);
}

function toPart(content: AnswerContent): Part | undefined {
  if (isPassage(content)) {
    if (content.text === '') return undefined;
    return content.type === 'reasoning' ? { text: content.text, thought: true } : { text: content.text };
  }
  if (content['type'] === 'tool-call' && content['providerExecuted'] !== true) {
    const { toolCallId: id, toolName: name, input } = content;
    return {
      functionCall: { ...(typeof id === 'string' && id !== '' && { id }), name: String(name), ...readCallArgs(input) },
    };
  }
  return content['type'] === 'file' ? toFilePart(content) : undefined;
}

/** Returns content that is sent back although it is not a part. Undefined for content that is not sent back. */
function toOther(content: AnswerContent): JsonObject | undefined {
  const metadata = metadataOf(content);
  const providerOptions = metadata && { providerOptions: metadata };
  if (isPassage(content)) return providerOptions && { type: content.type, text: '', ...providerOptions };
  const { type, toolCallId, toolName, input, result, isError, kind } = content;
  if (type === 'tool-call') {
    return toJson({
      type,
      toolCallId,
      toolName,
      input: readCallArgs(input).args,
      providerExecuted: true,
      ...providerOptions,
    });
  }
  if (type === 'tool-result' && content['preliminary'] !== true) {
    const output = { type: isError === true ? 'error-json' : 'json', value: result };
    return toJson({ type, toolCallId, toolName, output, ...providerOptions });
  }
  return type === 'custom' ? toJson({ type, kind, ...providerOptions }) : undefined;
}

/** Returns a file as bytes or as an address. The data is `{type, data|url}` in v4, and the value itself in v3. */
function toFilePart({ mediaType, data }: AnswerContent): Part | undefined {
  const mimeType = typeof mediaType === 'string' ? mediaType : 'application/octet-stream';
  const bytes = isPlainObject(data) ? data['data'] : data;
  if (ArrayBuffer.isView(bytes)) return { inlineData: { mimeType, data: encodeBase64(bytes as Uint8Array) } };
  if (typeof bytes === 'string') return { inlineData: { mimeType, data: bytes } };
  const { href } = ((isPlainObject(data) ? data['url'] : undefined) ?? {}) as { href?: unknown };
  return typeof href === 'string' ? { fileData: { mimeType, fileUri: href } } : undefined;
}

/** Adds the endpoint and data to `partMetadata`. Thoughts and files always have the endpoint, because others do not receive them. */
function withMark(
  part: Part,
  endpoint: string,
  {
    metadata,
    before = [],
    after = [],
  }: { metadata?: JsonObject | undefined; before?: JsonObject[]; after?: JsonObject[] },
): Part {
  const data = {
    ...(metadata && { metadata }),
    ...(before.length > 0 && { before }),
    ...(after.length > 0 && { after }),
  };
  const needsEndpoint = part.thought === true || part.inlineData !== undefined || part.fileData !== undefined;
  if (!needsEndpoint && Object.keys(data).length === 0) return part;
  return { ...part, partMetadata: { ...part.partMetadata, provider: endpoint, ...data } };
}

function mergeMetadata(first: JsonObject | undefined, second: JsonObject | undefined): JsonObject | undefined {
  if (!first || !second) return first ?? second;
  const result: JsonObject = { ...first };
  for (const [provider, members] of Object.entries(second)) {
    const current = getOwn(result, provider);
    const canMerge = isPlainObject(current) && isPlainObject(members);
    setOwn(result, provider, canMerge ? ({ ...current, ...members } as JsonObject) : members);
  }
  return result;
}

/** Returns the value as JSON, without undefined members. Undefined for anything that is not an object with members. */
export function toJson(value: unknown): JsonObject | undefined {
  if (!isPlainObject(value)) return undefined;
  const copy = JSON.parse(JSON.stringify(value)) as JsonObject;
  return Object.keys(copy).length > 0 ? copy : undefined;
}
