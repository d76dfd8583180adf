import type { Content, Json, LlmRequest, ToolDeclaration } from '@thole/core';
import { contentPart } from './content-part.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import type { RequestPart } from './request-part.ts';

/**
 * Returns the parts of a request in the model's order: system instruction, each tool, settings, each content.
 * Answers of several tools in one content are separate parts. `eventOf` finds the event of a content.
 */
export function requestParts(
  request: LlmRequest,
  eventOf: (content: Content) => string | undefined = () => undefined,
): RequestPart[] {
  const { systemInstruction, tools, ...settings } = request.config;
  const message = messageIndex(request.contents);
  return [
    ...instructionPart(systemInstruction),
    ...(tools ?? []).flatMap(toolParts),
    ...settingsPart(settings),
    ...request.contents.flatMap((content, i) => {
      const pieces = splitAnswers(content);
      return pieces.map((piece, at) =>
        contentPart(piece, {
          id: pieces.length === 1 ? `content:${i}` : `content:${i}:${at}`,
          place: i === message ? 'message' : i < message ? 'before' : 'after',
          eventId: eventOf(piece),
        }),
      );
    }),
  ];
}

/** Returns the sum of the estimates. */
export function totalTokens(parts: readonly RequestPart[]): number {
  return parts.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
}

// The current message: the user's last content that answers no call and quotes no memory.
function messageIndex(contents: readonly Content[]): number {
  return contents.findLastIndex(
    ({ role, parts = [] }) =>
      role !== 'model' &&
      parts.length > 0 &&
      parts.every(({ functionResponse }) => functionResponse === undefined) &&
      !parts.some(({ text }) => text?.startsWith('<past_conversations>') || text === 'Context, from another agent:'),
  );
}

function splitAnswers(content: Content): Content[] {
  const parts = content.parts ?? [];
  if (parts.length < 2 || !parts.every(({ functionResponse }) => functionResponse)) return [content];
  return parts.map((part) => ({ ...content, parts: [part] }));
}

function instructionPart(instruction: unknown): RequestPart[] {
  const text = instructionText(instruction);
  if (text === '') return [];
  return [
    {
      id: 'instruction',
      origin: 'instruction',
      title: 'System instruction',
      text,
      tokens: estimatedTokens(text),
      value: instruction as Json,
    },
  ];
}

// Some tracers record the instruction as a content.
function instructionText(instruction: unknown): string {
  if (typeof instruction === 'string') return instruction;
  const parts = (instruction as Content | undefined)?.parts ?? [];
  return parts.map(({ text }) => text ?? '').join('\n');
}

function toolParts(tool: ToolDeclaration): RequestPart[] {
  if (!('functionDeclarations' in tool)) {
    return Object.entries(tool).map(([name, value]) => toolPart(name, 'run by the provider', '', value as Json));
  }
  return tool.functionDeclarations.map((each) => {
    const { name, description = '' } = each;
    return toolPart(name, undefined, description, each as unknown as Json);
  });
}

function toolPart(name: string, note: string | undefined, description: string, value: Json): RequestPart {
  const json = JSON.stringify(value);
  return {
    id: `tool:${name}`,
    origin: 'tool',
    title: `Tool ${name}`,
    note,
    text: description,
    tokens: estimatedTokens(json),
    value,
  };
}

function settingsPart(settings: object): RequestPart[] {
  const text = JSON.stringify(settings, undefined, 2);
  if (text === '{}') return [];
  const { responseJsonSchema } = settings as { responseJsonSchema?: Json };
  return [
    {
      id: 'settings',
      origin: 'settings',
      title: 'Settings',
      text,
      // The model receives only the schema as tokens, no other setting.
      tokens: responseJsonSchema === undefined ? undefined : estimatedTokens(JSON.stringify(responseJsonSchema)),
      value: settings as Json,
    },
  ];
}
