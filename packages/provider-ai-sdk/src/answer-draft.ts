import { encodeBase64, getOwn, isPlainObject, setOwn } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import { readArgs } from './read-args.ts';

/** Content of an answer in the AI SDK's form. Nothing about it is guaranteed. */
export interface AnswerContent {
  readonly [member: string]: unknown;
}

/** A passage of text or reasoning, whose pieces arrive one by one. */
interface Passage extends AnswerContent {
  readonly type: 'text' | 'reasoning';
  text: string;
  metadata: JsonObject | undefined;
  citations: readonly unknown[];
}

/** Sources of an answer, and the places that cite them. */
export interface Cited {
  readonly sources: readonly AnswerContent[];
  readonly citations: readonly { readonly partIndex: number; readonly citation: AnswerContent }[];
}

/** The parts of an answer, and content that is not a part and that no part can carry. */
export interface AnswerParts extends Cited {
  readonly parts: Part[];
  readonly others: readonly JsonObject[];
}

/** Collects the content of an answer in order, complete or from a stream. */
export class AnswerDraft {
  readonly #contents: AnswerContent[] = [];
  readonly #open = new Map<string, Passage>();

  begin(type: Passage['type'], { id, providerMetadata }: AnswerContent): void {
    this.#add(type, id, jsonOf(providerMetadata));
  }

  addText(type: Passage['type'], { id, delta, providerMetadata }: AnswerContent): void {
    const passage = this.#of(type, id);
    if (typeof delta === 'string') passage.text += delta;
    passage.metadata = merged(passage.metadata, jsonOf(providerMetadata));
  }

  end(type: Passage['type'], { id, providerMetadata, citations }: AnswerContent): void {
    const passage = this.#of(type, id);
    passage.metadata = merged(passage.metadata, jsonOf(providerMetadata));
    if (Array.isArray(citations)) passage.citations = citations;
    this.#open.delete(keyOf(type, id));
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
      metadata: jsonOf(providerMetadata),
      citations: Array.isArray(citations) ? citations : [],
    } satisfies Passage);
  }

  /** Returns the parts. Data that only the provider understands is marked with the endpoint's name. */
  finish(endpoint: string): AnswerParts {
    const parts: Part[] = [];
    const sources: AnswerContent[] = [];
    const citations: { partIndex: number; citation: AnswerContent }[] = [];
    let waiting: JsonObject[] = [];
    for (const content of this.#contents) {
      if (content['type'] === 'source') sources.push(content);
      const part = toPart(content);
      if (!part) {
        const other = toOther(content);
        if (other) waiting.push(other);
        continue;
      }
      for (const citation of isPassage(content) ? content.citations : [])
        if (isPlainObject(citation)) citations.push({ partIndex: parts.length, citation });
      parts.push(marked(part, endpoint, { metadata: metadataOf(content), before: waiting }));
      waiting = [];
    }
    const last = parts.pop();
    if (last) parts.push(waiting.length > 0 ? marked(last, endpoint, { after: waiting }) : last);
    return { parts, others: last ? [] : waiting, sources, citations };
  }

  #of(type: Passage['type'], id: unknown): Passage {
    return this.#open.get(keyOf(type, id)) ?? this.#add(type, id, undefined);
  }

  #add(type: Passage['type'], id: unknown, metadata: JsonObject | undefined): Passage {
    const passage: Passage = { type, text: '', metadata, citations: [] };
    this.#contents.push(passage);
    this.#open.set(keyOf(type, id), passage);
    return passage;
  }
}

const keyOf = (type: string, id: unknown): string => `${type} ${String(id)}`;

function isPassage(content: AnswerContent): content is Passage {
  return content['type'] === 'text' || content['type'] === 'reasoning';
}

function metadataOf(content: AnswerContent): JsonObject | undefined {
  return isPassage(content) ? content.metadata : jsonOf(content['providerMetadata']);
}

function toPart(content: AnswerContent): Part | undefined {
  if (isPassage(content)) {
    if (content.text === '') return undefined;
    return content.type === 'reasoning' ? { text: content.text, thought: true } : { text: content.text };
  }
  if (content['type'] === 'tool-call' && content['providerExecuted'] !== true) {
    const { toolCallId: id, toolName: name, input } = content;
    return {
      functionCall: { ...(typeof id === 'string' && id !== '' && { id }), name: String(name), ...readArgs(input) },
    };
  }
  return content['type'] === 'file' ? fileOf(content) : undefined;
}

/** Content that the provider needs back, but that is not a part. Undefined for content that is not sent back. */
function toOther(content: AnswerContent): JsonObject | undefined {
  const metadata = metadataOf(content);
  const providerOptions = metadata && { providerOptions: metadata };
  if (isPassage(content)) return providerOptions && { type: content.type, text: '', ...providerOptions };
  const { type, toolCallId, toolName, input, result, isError, kind } = content;
  if (type === 'tool-call') {
    return jsonOf({
      type,
      toolCallId,
      toolName,
      input: readArgs(input).args,
      providerExecuted: true,
      ...providerOptions,
    });
  }
  if (type === 'tool-result' && content['preliminary'] !== true) {
    const output = { type: isError === true ? 'error-json' : 'json', value: result };
    return jsonOf({ type, toolCallId, toolName, output, ...providerOptions });
  }
  return type === 'custom' ? jsonOf({ type, kind, ...providerOptions }) : undefined;
}

/** Bytes or an address: `{type, data|url}` in v4, the value itself in v3. */
function fileOf({ mediaType, data }: AnswerContent): Part | undefined {
  const mimeType = typeof mediaType === 'string' ? mediaType : 'application/octet-stream';
  const bytes = isPlainObject(data) ? data['data'] : data;
  if (ArrayBuffer.isView(bytes)) return { inlineData: { mimeType, data: encodeBase64(bytes as Uint8Array) } };
  if (typeof bytes === 'string') return { inlineData: { mimeType, data: bytes } };
  const { href } = ((isPlainObject(data) ? data['url'] : undefined) ?? {}) as { href?: unknown };
  return typeof href === 'string' ? { fileData: { mimeType, fileUri: href } } : undefined;
}

/** Thoughts and files are always marked: another provider must not receive them as its own. */
function marked(
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
  const isOwn = part.thought === true || part.inlineData !== undefined || part.fileData !== undefined;
  if (!isOwn && Object.keys(data).length === 0) return part;
  return { ...part, partMetadata: { ...part.partMetadata, provider: endpoint, ...data } };
}

function merged(first: JsonObject | undefined, second: JsonObject | undefined): JsonObject | undefined {
  if (!first || !second) return first ?? second;
  const both: JsonObject = { ...first };
  for (const [provider, members] of Object.entries(second)) {
    const before = getOwn(both, provider);
    const isJoined = isPlainObject(before) && isPlainObject(members);
    setOwn(both, provider, isJoined ? ({ ...before, ...members } as JsonObject) : members);
  }
  return both;
}

/** Returns the value as JSON, without undefined members. Undefined for anything that is not an object with members. */
export function jsonOf(value: unknown): JsonObject | undefined {
  if (!isPlainObject(value)) return undefined;
  const copy = JSON.parse(JSON.stringify(value)) as JsonObject;
  return Object.keys(copy).length > 0 ? copy : undefined;
}
