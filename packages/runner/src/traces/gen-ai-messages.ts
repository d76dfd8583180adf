import type { Content, FunctionResponse, Json, LlmRequest, LlmResponse, Part, ToolDeclaration } from '@thole/core';

type JsonRecord = { [key: string]: Json | undefined };

/** Finish reasons with another name in OpenTelemetry's conventions. */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
]);

/** Returns the messages of a request as JSON of `gen_ai.input.messages`, without the bytes of files. */
export function inputMessages({ contents }: LlmRequest): string {
  return JSON.stringify(contents.map((content) => ({ role: roleOf(content), parts: partsOf(content) })));
}

/** Returns an answer as JSON of `gen_ai.output.messages`. Undefined if it has no content. */
export function outputMessages({ content, finishReason, errorCode }: LlmResponse): string | undefined {
  if (!content) return undefined;
  const callsTools = content.parts?.some((part) => part.functionCall) === true;
  const named =
    finishReason === undefined ? undefined : (finishReasons.get(finishReason) ?? finishReason.toLowerCase());
  const reason = callsTools && (named === undefined || named === 'stop') ? 'tool_call' : named;
  const finish_reason = reason ?? (errorCode === undefined ? 'stop' : 'error');
  return JSON.stringify([{ role: 'assistant', parts: partsOf(content), finish_reason }]);
}

/** Returns the instructions as JSON of `gen_ai.system_instructions`. Undefined if there are none. */
export function systemInstructions({ config }: LlmRequest): string | undefined {
  const { systemInstruction } = config;
  return systemInstruction ? JSON.stringify([{ type: 'text', content: systemInstruction }]) : undefined;
}

/** Returns the tools as JSON of `gen_ai.tool.definitions`. Undefined if there are none. */
export function toolDefinitions({ config }: LlmRequest): string | undefined {
  const { tools } = config;
  return tools && tools.length > 0 ? JSON.stringify(tools.flatMap(definitionsOf)) : undefined;
}

function definitionsOf(declaration: ToolDeclaration): JsonRecord[] {
  if (!('functionDeclarations' in declaration)) {
    const names = Object.keys(declaration).map(snakeCase);
    return names.map((name) => ({ type: name, name }));
  }
  return declaration.functionDeclarations.map(({ name, description, parametersJsonSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: parametersJsonSchema,
  }));
}

function roleOf({ role, parts = [] }: Content): string {
  if (role === 'model') return 'assistant';
  return parts.length > 0 && parts.every((part) => part.functionResponse) ? 'tool' : 'user';
}

function partsOf({ parts = [] }: Content): JsonRecord[] {
  return parts.flatMap((part) => (part.functionResponse ? responseParts(part.functionResponse) : [partOf(part)]));
}

function partOf(part: Part): JsonRecord {
  const { text, functionCall: call, executableCode: code, codeExecutionResult: result } = part;
  if (text !== undefined) return { type: part.thought ? 'reasoning' : 'text', content: text };
  if (call) return { type: 'tool_call', id: call.id, name: call.name, arguments: call.args };
  if (code)
    return {
      type: 'server_tool_call',
      name: 'code_execution',
      server_tool_call: { type: 'code_execution', code: code.code, language: code.language ?? null },
    };
  if (result)
    return {
      type: 'server_tool_call_response',
      server_tool_call_response: {
        type: 'code_execution',
        outcome: result.outcome ?? null,
        output: result.output ?? null,
      },
    };
  return fileOf(part) ?? { type: 'generic' };
}

function responseParts({ id, response, parts = [] }: FunctionResponse): JsonRecord[] {
  const files = parts.map((part) => fileOf(part) ?? { type: 'generic' });
  return [{ type: 'tool_call_response', id, response }, ...files];
}

function fileOf({ inlineData, fileData }: Pick<Part, 'inlineData' | 'fileData'>): JsonRecord | undefined {
  if (inlineData) {
    const { mimeType } = inlineData;
    return { type: 'blob', mime_type: mimeType, modality: modalityOf(mimeType), content: '' };
  }
  if (!fileData) return undefined;
  const { mimeType, fileUri } = fileData;
  return { type: 'uri', mime_type: mimeType, modality: modalityOf(mimeType), uri: fileUri };
}

function modalityOf(mimeType: string = ''): string {
  const [kind] = mimeType.split('/', 1);
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
