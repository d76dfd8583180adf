import { invalid } from './google-failure.ts';

/** Throws 400 for members that a message does not have, as Google's JSON parser does. */
export function onlyMembers(value: unknown, known: readonly string[], where: string): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`Invalid value at '${where}' (type.googleapis.com/message).`);
  for (const name of Object.keys(value))
    if (!known.includes(name))
      throw invalid(`Invalid JSON payload received. Unknown name "${name}" at '${where}': Cannot find field.`);
}

/** Throws 400 for a value that `google.protobuf.Struct` cannot contain: invalid text, or more than about 30 levels. */
export function checkStruct(value: unknown, where: string, depth: number = 0): void {
  if (typeof value === 'string') return checkText(value, where);
  if (typeof value !== 'object' || value === null) return;
  if (depth > 30) throw invalid(`Message too deep. Max recursion depth reached for '${where}'.`);
  for (const [key, member] of Object.entries(value)) {
    checkText(key, where);
    checkStruct(member, where, depth + 1);
  }
}

/** Throws 400 for a text that is not valid UTF-8, or that the database does not accept. */
export function checkText(text: string, where: string): void {
  if (!text.isWellFormed() || text.includes('\0')) throw invalid(`Invalid value at '${where}' (TYPE_STRING).`);
}

/** Throws 400 unless a value is base64 or base64url. */
export function checkBytes(value: unknown, where: string): void {
  if (value === undefined) return;
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value))
    throw invalid(`Invalid value at '${where}' (TYPE_BYTES), Base64 decoding failed.`);
}

/** Throws 400 unless a value is an RFC 3339 time. Returns it with nanoseconds. */
export function checkTime(value: unknown, where: string): string {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(String(value));
  if (!match) throw invalid(`Invalid value at '${where}' (type.googleapis.com/google.protobuf.Timestamp).`);
  return `${match[1]}.${(match[2] ?? '').padEnd(9, '0')}Z`;
}

/** Returns a Struct as the service returns it: protocol buffers do not keep the order of keys. */
export function sortedStruct(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedStruct);
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Object.fromEntries keeps `__proto__` as a plain key.
  return Object.fromEntries(sorted.map(([key, member]) => [key, sortedStruct(member)]));
}

/** Returns one page of a list, with the token of the next page. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  maxPageSize: number = 100,
): { page: T[]; nextPageToken?: string } {
  const size = Math.min(Number(query.get('pageSize') ?? maxPageSize) || maxPageSize, maxPageSize);
  const token = query.get('pageToken');
  const start = token === null ? 0 : Number(/^page-(\d+)$/.exec(token)?.[1] ?? NaN);
  if (Number.isNaN(start)) throw invalid('Invalid page token.');
  const page = all.slice(start, start + size);
  return start + size < all.length ? { page, nextPageToken: `page-${start + size}` } : { page };
}

/** Throws 400 for a malformed content. */
export function checkContent(content: unknown, where: string): void {
  if (content === undefined) return;
  onlyMembers(content, ['role', 'parts'], where);
  const { parts = [] } = content as { parts?: { [name: string]: unknown }[] };
  for (const part of parts) {
    const data = [
      'text',
      'functionCall',
      'functionResponse',
      'inlineData',
      'fileData',
      'executableCode',
      'codeExecutionResult',
    ];
    onlyMembers(part, [...data, 'thought', 'thoughtSignature', 'videoMetadata'], `${where}.parts`);
    if (Object.keys(part).filter((name) => data.includes(name)).length > 1)
      throw invalid(`Invalid value at '${where}.parts': oneof field 'data' is already set.`);
    onlyMembers(part['functionCall'], ['id', 'name', 'args'], `${where}.parts.function_call`);
    onlyMembers(part['functionResponse'], ['id', 'name', 'response'], `${where}.parts.function_response`);
    onlyMembers(part['inlineData'], ['mimeType', 'data'], `${where}.parts.inline_data`);
    onlyMembers(part['fileData'], ['mimeType', 'fileUri'], `${where}.parts.file_data`);
    onlyMembers(part['executableCode'], ['code', 'language'], `${where}.parts.executable_code`);
    onlyMembers(part['codeExecutionResult'], ['outcome', 'output'], `${where}.parts.code_execution_result`);
    checkBytes(part['thoughtSignature'], `${where}.parts.thought_signature`);
    checkBytes((part['inlineData'] as { data?: unknown } | undefined)?.data, `${where}.parts.inline_data.data`);
    checkStruct(part, `${where}.parts`);
  }
}
