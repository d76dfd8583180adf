import { isPlainObject } from '@thole/core/kit';

/** Members of a JSON-RPC message that telemetry reads. The peer may send any values. */
export interface RpcMessage {
  readonly id?: string | number | undefined;
  readonly method?: string | undefined;
  readonly params?: { readonly [name: string]: unknown } | undefined;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

/** A request, which the peer answers with the same id. */
export type RpcRequest = RpcMessage & { readonly id: string | number; readonly method: string };

/** True for a request. Notifications have no id, and responses have no method. */
export function isRpcRequest(message: RpcMessage): message is RpcRequest {
  return message.id !== undefined && message.method !== undefined;
}

/** Returns `_meta` of a request. */
export function metaOf({ params }: RpcMessage): { readonly [name: string]: unknown } {
  const meta = params?.['_meta'];
  return isPlainObject(meta) ? meta : {};
}

/** Returns the name of the span of a request: its method, and the name of the tool or prompt. */
export function spanName(method: string, target: string | undefined): string {
  return target === undefined ? method : `${method} ${target}`;
}

/** Returns the failure that a response reports: an error of the protocol, or a result with `isError`. */
export function failureOf({ error, result }: RpcMessage): Error | undefined {
  if (error) return namedError(String(error.code), String(error.message));
  if (isPlainObject(result) && result['isError'] === true) return namedError('tool_error', 'The result is an error.');
  return undefined;
}

/** Returns an error whose name becomes the `error.type`. */
export function namedError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** Returns the value if it is a version of the protocol, such as `2026-07-28`. */
export function parseVersion(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
}
