/**
 * True for a text that may contain a part of a model's answer: a stream of events, or JSON that could not be parsed. Error messages must
 * not quote it.
 */
export function isPartOfAnswer(body: unknown): boolean {
  return typeof body === 'string' && /^\s*(?:data:|event:|:|\{|\[)/.test(body);
}
