import { TholeError } from '@thole/core';
import { callTracer } from '@thole/core/kit';
import type { Runtime, SpanAttributes } from '@thole/core';
import type { McpServer } from '@modelcontextprotocol/server';
import { failureOf, isRpcRequest, metaOf, parseVersion, spanName } from '../telemetry/rpc-message.ts';
import type { RpcMessage, RpcRequest } from '../telemetry/rpc-message.ts';
import { TracedRequest } from '../telemetry/traced-request.ts';
import { parseTraceparent } from '../telemetry/traceparent.ts';
import { transportAttributes } from '../telemetry/transport-attributes.ts';

type Transport = Parameters<McpServer['connect']>[0];

/** Methods that clients may call. Other methods are recorded as `_OTHER`, because a client could invent any number of names. */
const methods: ReadonlySet<string> = new Set([
  ...['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'logging/setLevel', 'completion/complete'],
  ...['prompts/list', 'prompts/get', 'resources/list', 'resources/read', 'resources/templates/list'],
  ...['resources/subscribe', 'resources/unsubscribe', 'subscriptions/listen'],
]);
const MAX_ID_LENGTH = 64;

/** Settings of the telemetry of a server. */
export interface RequestTelemetryOptions {
  readonly runtime: Runtime;
  readonly isHttp: boolean;
  /** Names of the tools. A call of an unknown tool is recorded as `_OTHER`. */
  readonly tools: ReadonlySet<string>;
}

/**
 * Starts a span for each request, in the trace of the client, and records the duration. The span is active while the server
 * handles the request. Call this function before the server is connected.
 */
export function traceRequests(server: McpServer, options: RequestTelemetryOptions): void {
  if (options.runtime.tracer.isSilent) return;
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    await connect(transport);
    watch(transport, server, options);
  };
}

function watch(transport: Transport, server: McpServer, options: RequestTelemetryOptions): void {
  const openRequests = new Map<string | number, TracedRequest>();
  const { onmessage: receive, onclose: handleClose } = transport;
  const send = transport.send.bind(transport);

  function end(id: string | number | undefined, attributes: SpanAttributes, failure: Error | undefined): void {
    if (id === undefined) return;
    const request = openRequests.get(id);
    openRequests.delete(id);
    request?.end({ ...attributes, ...versionOf(server) }, failure);
  }

  transport.onmessage = (message, extra) => {
    const { method, params } = message as RpcMessage;
    if (method === 'notifications/cancelled') {
      receive?.(message, extra);
      end(params?.['requestId'] as string | undefined, {}, abortedError('The client cancelled the request.'));
    } else if (isRpcRequest(message) && !openRequests.has(message.id)) {
      const headerVersion = parseVersion(extra?.request?.headers.get('mcp-protocol-version'));
      const request = begin(message, options, headerVersion);
      openRequests.set(message.id, request);
      request.run(() => receive?.(message, extra));
    } else {
      receive?.(message, extra);
    }
  };
  transport.send = async (message, sendOptions) => {
    const sent = send(message, sendOptions);
    const { id, method, error } = message as RpcMessage;
    const attributes: SpanAttributes = error ? { 'rpc.response.status_code': String(error.code) } : {};
    if (method === undefined) end(id, attributes, failureOf(message as RpcMessage));
    return sent;
  };
  transport.onclose = () => {
    handleClose?.();
    for (const id of openRequests.keys()) end(id, {}, abortedError('The connection was closed before the response.'));
  };
}

function begin(
  message: RpcRequest,
  { runtime, isHttp, tools }: RequestTelemetryOptions,
  version: string | undefined,
): TracedRequest {
  const { tracer, logger } = runtime;
  const method = methods.has(message.method) ? message.method : '_OTHER';
  const isCall = method === 'tools/call';
  const tool = isCall ? toolNameOf(message, tools) : undefined;
  const attributes: SpanAttributes = {
    'mcp.method.name': method,
    'jsonrpc.request.id': String(message.id).slice(0, MAX_ID_LENGTH),
    'gen_ai.operation.name': isCall ? 'execute_tool' : undefined,
    'gen_ai.tool.name': tool,
    'mcp.protocol.version': version,
    ...transportAttributes(isHttp),
  };
  const parent = parseTraceparent(metaOf(message)['traceparent']);
  const kind = 'server';
  const span = callTracer(logger, () => tracer.start(spanName(method, tool), attributes, parent, { kind }));
  return new TracedRequest({ runtime, side: kind, attributes, span, ownsSpan: true });
}

function toolNameOf({ params }: RpcRequest, tools: ReadonlySet<string>): string {
  const name = params?.['name'];
  return typeof name === 'string' && tools.has(name) ? name : '_OTHER';
}

/** Returns the version of the protocol. Empty before the version is negotiated. */
export function versionOf({ server }: McpServer): SpanAttributes {
  const version = server.getNegotiatedProtocolVersion();
  return version === undefined ? {} : { 'mcp.protocol.version': version };
}

function abortedError(message: string): TholeError {
  return new TholeError('RUN_ABORTED', message);
}
