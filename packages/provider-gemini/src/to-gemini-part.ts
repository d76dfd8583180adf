import { TholeError } from '@thole/core';
import type { FunctionCall, InlineData, JsonObject, Part } from '@thole/core';
import { GEMINI } from './own-part.ts';

/**
 * What Gemini is sent for a part; undefined for what is not sent: empty texts, and what only another provider understands.
 * Parts that Gemini made go back as they came, signature and all. `sentIds` are those of calls that Gemini gave an id; answers
 * bear them too. Data that Gemini cannot read is `INVALID_INPUT`.
 */
export function toGeminiPart(part: Part, sentIds: ReadonlySet<string>): JsonObject | undefined {
  const { partMetadata, ...rest } = part;
  // Without a name it is the metadata that Gemini's own parts may have.
  const maker: unknown = partMetadata?.provider;
  if (maker !== undefined && maker !== GEMINI) return foreignPart(part);
  if (part.thought && maker !== GEMINI && part.thoughtSignature === undefined) return undefined;
  const sent: { [key: string]: unknown } = { ...rest };
  sent['partMetadata'] = maker === GEMINI ? partMetadata?.['partMetadata'] : partMetadata;
  if (part.functionCall) sent['functionCall'] = callOf(part.functionCall, idGivenTo(part));
  if (part.functionResponse) sent['functionResponse'] = answerOf(part.functionResponse, sentIds);
  if (part.inlineData && maker !== GEMINI) checkMimeType(part.inlineData);
  for (const key of Object.keys(sent)) if (sent[key] === undefined) delete sent[key];
  const isEmpty = Object.keys(sent).every(
    (key) => key === 'thought' || (sent[key] === '' && (key === 'text' || key === 'thoughtSignature')),
  );
  return isEmpty ? undefined : (sent as JsonObject);
}

/** The id that Gemini gave a call. One that a runner made says nothing to it, and some of its servers know no ids. */
export function idGivenTo(part: Part): string | undefined {
  const { functionCall, partMetadata } = part;
  const id = partMetadata?.provider === GEMINI ? partMetadata['id'] : undefined;
  return typeof id === 'string' && functionCall?.id === id ? id : undefined;
}

/** The plain part of one that another provider made, as far as there is one. */
function foreignPart(part: Part): JsonObject | undefined {
  const { text, thought, functionCall, functionResponse, inlineData, fileData } = part;
  if (thought) return undefined;
  if (text) return { text };
  if (functionCall) return { functionCall: callOf(functionCall, undefined) };
  if (functionResponse) return { functionResponse: answerOf(functionResponse, new Set()) };
  if (inlineData) {
    checkMimeType(inlineData);
    return { inlineData: { ...inlineData } as JsonObject };
  }
  if (fileData) return { fileData: { ...fileData } as JsonObject };
  const { executableCode: code, codeExecutionResult: result } = part;
  if (code) return { text: `\`\`\`${code.language?.toLowerCase() ?? ''}\n${code.code}\n\`\`\`` };
  return result?.output ? { text: `\`\`\`\n${result.output}\n\`\`\`` } : undefined;
}

function callOf(call: FunctionCall, id: string | undefined): JsonObject {
  const { id: _, brokenArgs: __, ...rest } = call;
  return { ...(id !== undefined && { id }), ...rest };
}

function answerOf(answer: NonNullable<Part['functionResponse']>, sentIds: ReadonlySet<string>): JsonObject {
  const { id, ...rest } = answer;
  return { ...(id !== undefined && sentIds.has(id) && { id }), ...(rest as unknown as JsonObject) };
}

/** Documents that are text inside are taken as well as images, audio, video and texts. */
const DOCUMENTS: readonly string[] = [
  'application/pdf',
  'application/json',
  'application/xml',
  'application/rtf',
  'application/javascript',
  'application/x-javascript',
  'application/typescript',
  'application/x-typescript',
  'application/x-python-code',
  'application/x-ipynb+json',
];

function checkMimeType({ mimeType }: InlineData): void {
  const type = mimeType.split(';')[0]!.trim().toLowerCase();
  if (/^(image|audio|video|text)\/./.test(type) || DOCUMENTS.includes(type)) return;
  throw new TholeError('INVALID_INPUT', `Gemini cannot read inlineData of the MIME type ${type || '(none)'}.`, {
    details: { mimeType: type },
  });
}
