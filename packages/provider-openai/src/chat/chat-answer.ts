import type { Json, JsonObject, LlmResponse, Part, Usage } from '@thole/core';
import { openAiFailure } from '../map-openai-error.ts';
import { endpointIn } from '../openai-options.ts';
import type { RequestTarget } from '../openai-options.ts';
import { readErrorBody } from '../read-error-body.ts';
import { ChatAudio } from './chat-audio.ts';
import { ChatCalls } from './chat-calls.ts';
import { ChatText } from './chat-text.ts';
import { isRecord } from './is-record.ts';
import { readFinish, assertNotFailed } from './read-finish.ts';
import { readSources } from './read-sources.ts';
import type { Sources } from './read-sources.ts';
import { readUsage, otherUsage } from './read-usage.ts';

type Raw = { readonly [key: string]: unknown };

/** Builds a chat answer from its chunks or from one body. */
export class ChatAnswer {
  readonly #target: RequestTarget;
  readonly #text: ChatText;
  readonly #calls = new ChatCalls();
  readonly #annotations: unknown[] = [];
  readonly #rest: JsonObject = {};
  readonly #restOfChoice: JsonObject = {};
  readonly #restOfMessage: JsonObject = {};
  readonly #audio = new ChatAudio();
  #id: string | undefined;
  #model: string | undefined;
  #finish: string | undefined;
  #blockMessage: string | undefined;
  #usage: Usage | undefined;
  #usageCount = 0;
  #isUsageLast = false;

  constructor(target: RequestTarget) {
    this.#target = target;
    this.#text = new ChatText(target);
  }

  /** True if the answer is complete: it has a finish reason or was blocked, or the last chunk has the token count. */
  get isComplete(): boolean {
    if (this.hasFinishReason || this.#blockMessage !== undefined) return true;
    return this.#isUsageLast && this.#usageCount === 1;
  }

  get hasFinishReason(): boolean {
    return this.#finish !== undefined;
  }

  /** Adds a chunk and returns its new parts for a partial response. Throws the error that the chunk contains. */
  addChunk(chunk: unknown): Part[] {
    if (!isRecord(chunk)) return [];
    const choice = this.#addFrame(chunk);
    if (!choice) return [];
    const { delta } = choice;
    if (isRecord(delta)) return this.#addMessage(delta);
    // Some servers send the complete message, also after its pieces.
    const message = this.#text.isEmpty && this.#calls.isEmpty ? choice['message'] : undefined;
    return isRecord(message) ? this.#addMessage(message, { isComplete: true }) : [];
  }

  /** Adds the body of an answer without streaming. Throws the error that the body contains. */
  addBody(answer: unknown): void {
    if (!isRecord(answer)) throw openAiFailure(answer);
    const choice = this.#addFrame(answer);
    if (!Array.isArray(answer['choices'])) throw openAiFailure(answer);
    const message = choice?.['message'] ?? choice?.['delta'];
    if (isRecord(message)) this.#addMessage(message, { isComplete: true });
  }

  /** Marks the answer as blocked, with the message of the error that the server reported. */
  block(message: string): void {
    this.#blockMessage = message;
  }

  /** Returns the text that was not returned earlier because it could have become a tag. */
  end(): Part[] {
    return this.#text.end();
  }

  /** Returns the final response. */
  toResponse(): LlmResponse {
    const isFiltered = this.#finish === 'content_filter';
    const isBlocked = isFiltered || this.#text.isRefusal || this.#blockMessage !== undefined;
    const blockMessage = this.#blockMessage ?? (isFiltered ? FILTERED : REFUSED);
    const endpointName = endpointIn(this.#target).name;
    const answerParts = [...this.#text.parts(), ...(isBlocked ? [] : this.#calls.parts(endpointName))];
    const parts = withFileAnnotations(answerParts, this.#annotations, endpointName);
    const finishReason = isBlocked ? 'SAFETY' : this.#finish === undefined ? undefined : readFinish(this.#finish);
    const customMetadata = this.#customMetadata();
    return {
      ...(parts.length > 0 && { content: { role: 'model', parts } }),
      ...(finishReason !== undefined && { finishReason }),
      ...(isBlocked && { errorCode: 'MODEL_BLOCKED', errorMessage: blockMessage }),
      ...(this.#usage && { usageMetadata: this.#usage }),
      ...(this.#model !== undefined && { modelVersion: this.#model }),
      ...this.#sources(),
      ...(customMetadata && { customMetadata }),
    };
  }

  /** Reads all members except the message and returns the choice. */
  #addFrame(frame: Raw): Raw | undefined {
    const { choices, error } = frame;
    this.#isUsageLast = false;
    for (const key in frame) if (!FRAME_MEMBERS.has(key)) setUnlessEmpty(this.#rest, key, frame[key]);
    if (typeof frame['model'] === 'string' && frame['model'] !== '') this.#model = frame['model'];
    if (typeof frame['id'] === 'string') this.#id = frame['id'];
    this.#addUsage(frame['usage'] ?? memberOf(frame['x_groq'], 'usage'));
    if (error) throw openAiFailure(frame);
    if (!Array.isArray(choices)) {
      if (readErrorBody(frame).isError) throw openAiFailure(frame);
      return undefined;
    }
    // Only the first choice is read. Servers send several choices only on request.
    const choice: unknown = isFirst(choices[0]) ? choices[0] : choices.find(isFirst);
    if (!isRecord(choice)) return undefined;
    assertNotFailed(choice);
    // Moonshot counts tokens here.
    this.#addUsage(choice['usage']);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') this.#finish = reason;
    for (const key in choice) if (!CHOICE_MEMBERS.has(key)) setUnlessEmpty(this.#restOfChoice, key, choice[key]);
    if (isRecord(choice['logprobs'])) addLogprobs(this.#restOfChoice, choice['logprobs'] as JsonObject);
    return choice;
  }

  #addMessage(message: Raw, p: { isComplete?: boolean } = {}): Part[] {
    this.#calls.add(message['tool_calls'], p);
    const legacyCall = message['function_call'];
    if (isRecord(legacyCall)) this.#calls.add([{ index: 0, function: legacyCall }], p);
    if (Array.isArray(message['annotations'])) this.#annotations.push(...(message['annotations'] as unknown[]));
    for (const key in message) if (!MESSAGE_MEMBERS.has(key)) setUnlessEmpty(this.#restOfMessage, key, message[key]);
    if (isRecord(message['audio'])) this.#audio.add(message['audio']);
    return this.#text.add(message);
  }

  #addUsage(raw: unknown): void {
    const usage = raw ? readUsage(raw) : undefined;
    if (!usage) return;
    this.#usage = usage;
    this.#usageCount++;
    this.#isUsageLast = true;
    const rest = otherUsage(raw);
    if (rest) this.#rest['usage'] = rest;
  }

  #sources(): Sources | undefined {
    const { citations, search_results: searchResults } = this.#rest;
    if (!citations && !searchResults && this.#annotations.length === 0) return undefined;
    return readSources({ annotations: this.#annotations, citations, searchResults });
  }

  #customMetadata(): JsonObject | undefined {
    const all: JsonObject = { ...(this.#id && { responseId: this.#id }), ...this.#rest };
    if (Object.keys(this.#restOfChoice).length > 0) all['choice'] = this.#restOfChoice;
    const message: JsonObject = { ...this.#restOfMessage, ...this.#audio.toMember() };
    if (this.#text.unknownContent.length > 0) message['content'] = [...this.#text.unknownContent];
    if (Object.keys(message).length > 0) all['message'] = message;
    return Object.keys(all).length > 0 ? all : undefined;
  }
}

/** Keeps OpenRouter's annotations of files on the last part: if they are sent back, the files are not parsed again. */
function withFileAnnotations(parts: Part[], annotations: readonly unknown[], endpointName: string): Part[] {
  const files = annotations.filter((each) => isRecord(each) && each['type'] === 'file') as JsonObject[];
  const last = parts.at(-1);
  if (files.length === 0 || !last) return parts;
  const partMetadata = { provider: endpointName, ...last.partMetadata, annotations: files };
  return [...parts.slice(0, -1), { ...last, partMetadata }];
}

const FILTERED = 'A content filter stopped the answer.';
const REFUSED = 'The model refused to answer.';
/** Members that are read here. `obfuscation` is padding of OpenAI without a meaning. */
const FRAME_MEMBERS = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'obfuscation']);
const CHOICE_MEMBERS = new Set(['index', 'delta', 'message', 'finish_reason', 'usage', 'logprobs', 'error', 'text']);
const MESSAGE_MEMBERS = new Set(
  'role content refusal audio reasoning reasoning_content reasoning_details tool_calls function_call annotations images'.split(
    ' ',
  ),
);

function setUnlessEmpty(rest: JsonObject, key: string, value: unknown): void {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return;
  rest[key] = value as Json;
}

function addLogprobs(rest: JsonObject, added: JsonObject): void {
  const logprobs = isRecord(rest['logprobs']) ? (rest['logprobs'] as JsonObject) : {};
  const [earlier, next] = [logprobs['content'], added['content']];
  const content = Array.isArray(earlier) && Array.isArray(next) ? [...earlier, ...next] : (next ?? earlier ?? null);
  rest['logprobs'] = { ...logprobs, ...added, content };
}

const isFirst = (choice: unknown): boolean => isRecord(choice) && (choice['index'] ?? 0) === 0;
const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
