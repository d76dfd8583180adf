import { isPlainObject, parseJson } from '@thole/core/kit';
import type { Json, JsonObject, Part } from '@thole/core';
import { toPartMark } from './part-mark.ts';

/**
 * Returns the parts of a block. An empty block has no parts. A block that core has no part for (searches, redacted
 * thoughts, unknown blocks) becomes an empty text with the complete block in `partMetadata`. `json` is the text of
 * streamed arguments.
 */
export function toParts(block: JsonObject, json: string | undefined, endpoint: string): Part[] {
  switch (block['type']) {
    case 'text':
      return toTextParts(block, endpoint);
    case 'thinking': {
      const { thinking, signature } = block;
      if (!thinking && !signature) return [];
      const part: Part = { text: typeof thinking === 'string' ? thinking : '', thought: true };
      if (typeof signature !== 'string' || signature === '') return [part];
      return [{ ...part, thoughtSignature: signature, partMetadata: { provider: endpoint } }];
    }
    case 'redacted_thinking':
      return [{ text: '', thought: true, partMetadata: toPartMark(endpoint, block) }];
    case 'tool_use':
      return [toCallPart(block, json, endpoint)];
    case 'server_tool_use': {
      const code = readCode(block);
      if (code) return [{ executableCode: code, partMetadata: toPartMark(endpoint, block) }];
      break;
    }
    case 'code_execution_tool_result':
    case 'bash_code_execution_tool_result':
      return [{ codeExecutionResult: readResult(block), partMetadata: toPartMark(endpoint, block) }];
  }
  return [{ text: '', partMetadata: toPartMark(endpoint, block) }];
}

function toTextParts(block: JsonObject, endpoint: string): Part[] {
  const { type, text, citations, ...rest } = block;
  if (typeof text !== 'string' || text === '') return [];
  const extra = { ...(Array.isArray(citations) && citations.length > 0 && { citations }), ...rest };
  return [
    Object.keys(extra).length > 0 ? { text, partMetadata: toPartMark(endpoint, { type: type!, ...extra }) } : { text },
  ];
}

function toCallPart(block: JsonObject, json: string | undefined, endpoint: string): Part {
  const { type: _, id, name, input, caller, ...rest } = block;
  const isBroken = json !== undefined && json.trim() !== '' && !isPlainObject(parseJson(json));
  const functionCall = {
    ...(typeof id === 'string' && { id }),
    name: typeof name === 'string' ? name : '',
    args: isPlainObject(input) && !isBroken ? (input as JsonObject) : {},
    ...(isBroken
      ? { brokenArgs: json }
      : !isPlainObject(input) && input !== undefined && input !== null && { brokenArgs: JSON.stringify(input) }),
  };
  // A call that code made, which Anthropic ran, must be sent back with its caller.
  const isDirect = !isPlainObject(caller) || caller['type'] === 'direct';
  const extra: JsonObject = { ...rest, ...(!isDirect && { caller: caller as Json }) };
  return Object.keys(extra).length > 0 ? { functionCall, partMetadata: toPartMark(endpoint, extra) } : { functionCall };
}

function readCode({ name, input }: JsonObject): { code: string; language: string } | undefined {
  if (!isPlainObject(input)) return undefined;
  if (name === 'code_execution' && typeof input['code'] === 'string')
    return { code: input['code'], language: 'PYTHON' };
  if (name === 'bash_code_execution' && typeof input['command'] === 'string')
    return { code: input['command'], language: 'BASH' };
  return undefined;
}

function readResult({ content }: JsonObject): { outcome: string; output: string } {
  const { stdout, stderr, return_code: status, error_code: code } = isPlainObject(content) ? content : {};
  if (typeof code === 'string') return { outcome: 'OUTCOME_FAILED', output: code };
  const output = [stdout, stderr].flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : [])).join('\n');
  return { outcome: status === 0 ? 'OUTCOME_OK' : 'OUTCOME_FAILED', output };
}
