import type { Handler } from '../src/index.ts';

/** A response with its parsed JSON. */
export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
  body: any;
  headers: Headers;
}

/** Sends a request to a handler. A string body is sent unchanged, other values as JSON. */
export async function ask(handler: Handler, method: string, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json' };
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  const response = await handler(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}
