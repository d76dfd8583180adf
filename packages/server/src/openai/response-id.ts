import { decodeBase64, encodeBase64 } from '@thole/core/kit';

/** The place of a response: its session and its invocation. */
export interface ResponsePlace {
  readonly sessionId: string;
  readonly invocationId: string;
}

/** Returns the id of a response. The id contains the place, so that no table of responses is needed. */
export function toResponseId({ sessionId, invocationId }: ResponsePlace): string {
  return `resp_${encodePlace([sessionId, invocationId])}`;
}

/** The ids of the items of a session. They contain the place of the response, so `item_reference` needs no table. */
export class ItemIds {
  readonly #sessionId: string;
  /** The count of items of each event, by the id without its number. */
  readonly #counts: Map<string, number> = new Map();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Returns the id of the next item of an event. It is the same for a streamed and a stored event. */
  next(kind: 'msg' | 'rs', { eventId, invocationId }: { eventId: string; invocationId: string }): string {
    const id = `${kind}_${encodePlace([this.#sessionId, invocationId, eventId])}`;
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    return `${id}_${count}`;
  }
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

function encodePlace(names: readonly string[]): string {
  const base64 = encodeBase64(new TextEncoder().encode(JSON.stringify(names)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
