import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject, Part } from '@thole/core';
import { markWith } from './own-block.ts';

/**
 * Returns the parts of a block: none for an empty one. Blocks that core has no part for (searches, redacted thoughts,
 * unknown ones) are an empty text with the whole block in `partMetadata`. `json` is the text of streamed arguments.
 */
export function toParts(block: JsonObject, json: string | undefined, endpoint: string): Part[] {
  switch (block['type']) {
    case 'text':
      return textParts(block, endpoint);
    case 'thinking': {
      const { thinking, signature } = block;
      if (!thinking && !signature) return [];
      const part: Part = { text: typeof thinking === 'string' ? thinking : '', thought: true };
      if (typeof signature !== 'string' || signature === '') return [part];
      return [{ ...part, thoughtSignature: signature, partMetadata: { provider: endpoint } }];
    }
    case 'redacted_thinking':
      return [{ text: '', thought: true, partMetadata: markWith(endpoint, block) }];
    case 'tool_use':
      return [callPart(block, json, endpoint)];
    case 'server_tool_use': {
      const code = codeIn(block);
      if (code) return [{ executableCode: code, partMetadata: markWith(endpoint, block) }];
      break;
    }
    case 'code_execution_tool_result':
    case 'bash_code_execution_tool_result':
      return [{ codeExecutionResult: resultIn(block), partMetadata: markWith(endpoint, block) }];
  }
  return [{ text: '', partMetadata: markWith(endpoint, block) }];
}

function textParts(block: JsonObject, endpoint: string): Part[] {
  const { type, text, citations, ...rest } = block;
  if (typeof text !== 'string' || text === '') return [];
  const own = { ...(Array.isArray(citations) && citations.length > 0 && { citations }), ...rest };
  return [Object.keys(own).length > 0 ? { text, partMetadata: markWith(endpoint, { type: type!, ...own }) } : { text }];
}

function callPart(block: JsonObject, json: string | undefined, endpoint: string): Part {
  const { type: _, id, name, input, caller, ...rest } = block;
  const isBroken = json !== undefined && json.trim() !== '' && !isJsonObject(json);
  const functionCall = {
    ...(typeof id === 'string' && { id }),
    name: typeof name === 'string' ? name : '',
    args: isPlainObject(input) && !isBroken ? (input as JsonObject) : {},
    ...(isBroken
      ? { brokenArgs: json }
      : !isPlainObject(input) && input !== undefined && { brokenArgs: JSON.stringify(input) }),
  };
  // A call from code that Anthropic runs must be sent back with its caller.
  const isDirect = !isPlainObject(caller) || caller['type'] === 'direct';
  const own: JsonObject = { ...rest, ...(!isDirect && { caller: caller as Json }) };
  return Object.keys(own).length > 0 ? { functionCall, partMetadata: markWith(endpoint, own) } : { functionCall };
}

function isJsonObject(json: string): boolean {
  try {
    return isPlainObject(JSON.parse(json));
  } catch {
    return false;
  }
}

function codeIn({ name, input }: JsonObject): { code: string; language: string } | undefined {
  if (!isPlainObject(input)) return undefined;
  if (name === 'code_execution' && typeof input['code'] === 'string')
    return { code: input['code'], language: 'PYTHON' };
  if (name === 'bash_code_execution' && typeof input['command'] === 'string')
    return { code: input['command'], language: 'BASH' };
  return undefined;
}

function resultIn({ content }: JsonObject): { outcome: string; output: string } {
  const { stdout, stderr, return_code: status, error_code: code } = isPlainObject(content) ? content : {};
  if (typeof code === 'string') return { outcome: 'OUTCOME_FAILED', output: code };
  const output = [stdout, stderr].flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : [])).join('\n');
  return { outcome: status === 0 ? 'OUTCOME_OK' : 'OUTCOME_FAILED', output };
}
