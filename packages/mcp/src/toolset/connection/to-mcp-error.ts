import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** Members of the SDK's errors. They are read by name, so that the SDK is loaded only when a server is called. */
interface SdkFailure {
  readonly code?: unknown;
  readonly data?: unknown;
}

/** Returns the HTTP status of an error of the SDK. */
export function httpStatusOf(error: unknown): number | undefined {
  const { data } = (error ?? {}) as SdkFailure;
  const status = isPlainObject(data) ? data['status'] : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Returns the code of an error that the server sent over JSON-RPC. */
export function protocolCodeOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as SdkFailure;
  return typeof code === 'number' && error instanceof Error && !TholeError.is(error) ? code : undefined;
}

/**
 * True if the server does not know the session, or no longer supports the protocol version of the connection, for example after an
 * update. It has then not processed the request.
 */
export function isLostSession(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (status === 404) return true;
  const text = error instanceof Error ? error.message : '';
  const code = protocolCodeOf(error);
  if (code === UNSUPPORTED_PROTOCOL_VERSION || (status === 400 && /protocol version/i.test(text))) return true;
  return (status === 400 || code === -32_001) && /session/i.test(text);
}

const UNSUPPORTED_PROTOCOL_VERSION = -32_022;

/** True if the connection ended before the answer, or could not send the request. */
export function isConnectionClosed(error: unknown): boolean {
  return CLOSED_CODES.includes(((error ?? {}) as SdkFailure).code);
}

const CLOSED_CODES: readonly unknown[] = ['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED'];

/** True if the HTTP connection ended after the request was sent, before the response began. */
function isResponseLost(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: SdkFailure };
  return LOST_RESPONSE_CODES.includes(cause?.code);
}

const LOST_RESPONSE_CODES: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_HEADERS_TIMEOUT'];

/** Returns an `MCP_SERVER_FAILED` error. Its message contains no text of the server. */
export function toMcpError(error: unknown, server: string): TholeError {
  if (TholeError.is(error)) return error;
  const name = `The MCP server "${server}"`;
  const serverError = (
    problem: string,
    options?: { retryable?: boolean; cause?: unknown; details?: JsonObject },
  ): TholeError => new TholeError('MCP_SERVER_FAILED', `${name} ${problem}`, options);
  const status = httpStatusOf(error);
  if (status !== undefined) {
    const details = { httpStatus: status };
    return serverError(`answered with status ${status}.`, { details, retryable: status >= 500 });
  }
  const code = protocolCodeOf(error);
  if (code !== undefined) return serverError(`refused a request with code ${code}.`);
  if (isConnectionClosed(error))
    return serverError('closed the connection. If it is a process, see its log.', { retryable: true });
  if (isResponseLost(error))
    return serverError('closed the connection before its response. The request may or may not have taken effect.', {
      cause: error,
    });
  switch (((error ?? {}) as SdkFailure).code) {
    case 'REQUEST_TIMEOUT':
      return serverError('did not answer in time.', { retryable: true });
    case 'LIST_PAGINATION_EXCEEDED':
      return serverError('returns a list without an end.');
    case 'INVALID_RESULT':
    case 'UNSUPPORTED_RESULT_TYPE':
      // The cause names the member of the result that is wrong.
      return serverError('sent a result that does not have the form of the protocol.', { cause: error });
    case 'CLIENT_HTTP_UNEXPECTED_CONTENT':
      return serverError('sent a response that is not JSON. Check the address.');
    case 'ENOENT':
    case 'EACCES':
      return serverError('cannot be started. Check serverParams.command.', { cause: error });
    default:
      if ((error as { name?: unknown })?.name === 'ZodError')
        return serverError('sent a message that does not have the form of the protocol.', { cause: error });
      return serverError('cannot be reached, or does not speak the protocol. Check address and network.', {
        cause: error,
      });
  }
}
