import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import { isBase64 } from './base64.ts';
import type { Content, FunctionResponsePart, InlineData, Part } from './content.ts';

/** Members of a part, of which each part has one or more. */
export const partKinds: readonly (keyof Part)[] = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
];

/**
 * Throws `INVALID_INPUT` with the path unless the value is a message: an object with parts, a known role, and parts
 * with a known kind and members of the right types. Unknown members are allowed.
 */
export function assertContent(value: unknown, argument: string): asserts value is Content & { parts: Part[] } {
  if (!isPlainObject(value)) throw invalidInput(argument, 'a string or a Content {role, parts}', value);
  const { role, parts } = value;
  if (role !== undefined && role !== 'user' && role !== 'model') {
    throw new TholeError('INVALID_INPUT', `${argument}.role must be 'user' or 'model'.`);
  }
  if (!Array.isArray(parts)) throw invalidInput(`${argument}.parts`, 'an array of parts', parts);
  if (parts.length === 0) throw new TholeError('INVALID_INPUT', `${argument}.parts must contain at least one part.`);
  parts.forEach((part: unknown, i) => assertPart(part, `${argument}.parts[${i}]`));
}

function assertPart(part: unknown, argument: string): void {
  if (!isPlainObject(part))
    throw invalidInput(argument, 'a part, an object with one of text, inlineData, functionResponse …', part);
  if (!partKinds.some((kind) => part[kind] !== undefined)) {
    throw new TholeError('INVALID_INPUT', `${argument} must have one of ${partKinds.join(', ')}.`);
  }
  if (part['text'] !== undefined && typeof part['text'] !== 'string')
    throw invalidInput(`${argument}.text`, 'a string', part['text']);
  assertMember(part, 'inlineData', ['mimeType', 'data'], argument);
  assertBase64((part as Part).inlineData, argument);
  assertMember(part, 'fileData', ['fileUri'], argument);
  assertMember(part, 'executableCode', ['code'], argument);
  const answer = part['functionResponse'];
  if (isPlainObject(answer) && answer['parts'] !== undefined)
    assertResponseParts(answer['parts'], `${argument}.functionResponse.parts`);
  for (const [kind, payload] of [
    ['functionCall', 'args'],
    ['functionResponse', 'response'],
  ] as const) {
    assertMember(part, kind, ['name'], argument);
    const member = part[kind];
    if (isPlainObject(member) && !isPlainObject(member[payload])) {
      throw invalidInput(`${argument}.${kind}.${payload}`, 'an object', member[payload]);
    }
  }
}

function assertBase64(inlineData: InlineData | undefined, argument: string): void {
  if (inlineData === undefined || isBase64(inlineData.data)) return;
  const isUrl = inlineData.data.startsWith('data:');
  const expected = isUrl ? 'base64 without "data:…;base64," before it' : 'base64';
  throw new TholeError('INVALID_INPUT', `${argument}.inlineData.data must be ${expected}.`);
}

/**
 * Throws `INVALID_INPUT` with the path unless each member is `{inlineData}` with a type and base64, or `{fileData}`
 * with a URI.
 */
export function assertResponseParts(parts: unknown, argument: string): asserts parts is FunctionResponsePart[] {
  if (!Array.isArray(parts)) throw invalidInput(argument, 'an array of {inlineData} or {fileData}', parts);
  parts.forEach((part: unknown, i) => {
    const place = `${argument}[${i}]`;
    if (!isPlainObject(part) || (part['inlineData'] === undefined) === (part['fileData'] === undefined))
      throw new TholeError('INVALID_INPUT', `${place} must have either inlineData or fileData.`);
    assertMember(part, 'inlineData', ['mimeType', 'data'], place);
    assertMember(part, 'fileData', ['fileUri'], place);
    const { inlineData } = part as FunctionResponsePart;
    if (!inlineData) return;
    if (inlineData.mimeType === '')
      throw new TholeError('INVALID_INPUT', `${place}.inlineData.mimeType must not be empty.`);
    if (!isBase64(inlineData.data)) throw new TholeError('INVALID_INPUT', `${place}.inlineData.data must be base64.`);
  });
}

function assertMember(
  part: { [key: string]: unknown },
  kind: keyof Part,
  strings: readonly string[],
  argument: string,
): void {
  const member = part[kind];
  if (member === undefined) return;
  if (!isPlainObject(member)) throw invalidInput(`${argument}.${kind}`, 'an object', member);
  for (const name of strings) {
    if (typeof member[name] !== 'string') throw invalidInput(`${argument}.${kind}.${name}`, 'a string', member[name]);
  }
}
