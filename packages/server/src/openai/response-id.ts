import { decodeBase64, encodeBase64 } from '@thole/core/kit';

/** The place of a response: its session and its invocation. */
export interface ResponsePlace {
  readonly sessionId: string;
  readonly invocationId: string;
}

/** Returns the id of a response. The id contains the place, so that no table of responses is needed. */
export function toResponseId({ sessionId, invocationId }: ResponsePlace): string {
  const bytes = new TextEncoder().encode(JSON.stringify([sessionId, invocationId]));
  return `resp_${encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** Returns the id of an item of a response, by its position. The id contains the id of the response. */
export function toItemId(responseId: string, kind: 'msg' | 'rs', position: number): string {
  return `${kind}_${responseId.slice('resp_'.length)}_${position}`;
}

/** Returns the id of the response in the id of an item. Undefined for any other text. */
export function responseIdOf(itemId: string): string | undefined {
  const place = /^(?:msg|rs)_(.+)_\d+$/s.exec(itemId)?.[1];
  return place === undefined ? undefined : `resp_${place}`;
}

/** Returns the place in the id of a response. Undefined for any other text. */
export function fromResponseId(id: string): ResponsePlace | undefined {
  const bytes = id.startsWith('resp_') ? decodeBase64(id.slice('resp_'.length)) : undefined;
  if (!bytes) return undefined;
  try {
    const place: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const [sessionId, invocationId] = Array.isArray(place) ? (place as unknown[]) : [];
    if (typeof sessionId !== 'string' || typeof invocationId !== 'string') return undefined;
    return { sessionId, invocationId };
  } catch {
    return undefined;
  }
}
