import { isPlainObject } from '@thole/core/kit';

/** The content of an error body, from any of the usual members. */
export interface ErrorBody {
  /** True if the body has a member that only errors have. */
  readonly isError: boolean;
  readonly isHtml: boolean;
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly param?: string | undefined;
  /** The body's status, if it is a number from 400 to 599. */
  readonly status?: number | undefined;
}

/**
 * Reads `error.message`, `error` as a string, `message` and `detail`. Returns a text unchanged and names an HTML
 * page as such.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') {
    const isHtml = /^\s*<(!doctype|html)/i.test(body);
    const message = isHtml ? 'an HTML page. Check baseUrl' : shorten(body);
    return { isError: false, isHtml, message };
  }
  // Google's compatible endpoint wraps the object in an array.
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isPlainObject(outer)) return { isError: false, isHtml: false };
  const inner = isPlainObject(outer['error']) ? outer['error'] : undefined;
  const source: { readonly [key: string]: unknown } = inner ?? outer;
  const errorText = typeof outer['error'] === 'string' ? outer['error'] : undefined;
  return {
    isError: inner !== undefined || errorText !== undefined || hasErrorMember(outer),
    isHtml: false,
    message: shorten(
      errorText ?? readText(source['message']) ?? readDetail(source['detail']) ?? readText(outer['message']),
    ),
    code: readText(source['code']) ?? readText(outer['code']),
    type: readText(source['type']) ?? readText(source['status']),
    param: readText(source['param']),
    status: statusOf(source) ?? statusOf(outer),
  };
}

function hasErrorMember(outer: { readonly [key: string]: unknown }): boolean {
  return (
    readText(outer['message']) !== undefined ||
    readDetail(outer['detail']) !== undefined ||
    outer['object'] === 'error' ||
    outer['type'] === 'error'
  );
}

/** Returns a text, or joins the issues in a validator's list. */
function readDetail(value: unknown): string | undefined {
  if (!Array.isArray(value)) return readText(value);
  const lines = value.map((each: unknown) => {
    if (!isPlainObject(each)) return readText(each);
    const location = Array.isArray(each['loc']) ? `${each['loc'].join('.')}: ` : '';
    return `${location}${readText(each['msg']) ?? ''}`;
  });
  return lines.filter(Boolean).join('; ') || undefined;
}

function readText(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function statusOf(source: { readonly [key: string]: unknown }): number | undefined {
  const candidates = [source['status'], source['status_code'], source['code']].map(Number);
  return candidates.find((value) => Number.isInteger(value) && value >= 400 && value < 600);
}

function shorten(message: string | undefined): string | undefined {
  const trimmed = message?.trim();
  if (!trimmed) return undefined;
  return trimmed.length > 1000 ? `${trimmed.slice(0, 1000)} …` : trimmed;
}
