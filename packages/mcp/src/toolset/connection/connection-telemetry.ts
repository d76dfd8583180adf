import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { callTracer } from '@thole/core/kit';
import type { ReadonlyContext, Runtime, Span, SpanAttributes } from '@thole/core';
import { failureOf, isRpcRequest, metaOf, namedError, parseVersion, spanName } from '../../telemetry/rpc-message.ts';
import type { RpcMessage, RpcRequest } from '../../telemetry/rpc-message.ts';
import { measureSession, TracedRequest } from '../../telemetry/traced-request.ts';
import { formatTraceparent } from '../../telemetry/traceparent.ts';
import { httpStatusOf } from './to-mcp-error.ts';

/** The members of a context that telemetry needs. */
export type TracedContext = Pick<ReadonlyContext, 'runtime' | 'span'>;

interface OpenRequest {
  readonly context: TracedContext;
  readonly traced: TracedRequest;
}

/**
 * Spans and metrics of one connection, with the names of OpenTelemetry's conventions. A tool call uses the span of the
 * tool instead of a second span. Without a tracer, messages are sent unchanged.
 */
export class ConnectionTelemetry {
  readonly #describe: () => SpanAttributes;
  readonly #contexts = new AsyncLocalStorage<TracedContext>();
  readonly #openRequests = new Map<string | number, OpenRequest>();
  #session: { readonly runtime: Runtime; readonly startedAt: number } | undefined;

  /** `describe` returns the attributes of the connection that are known now. */
  constructor(describe: () => SpanAttributes) {
    this.#describe = describe;
  }

  /** Calls `work`. The spans of its requests are children of the context's span. They end with `work` at the latest. */
  async run<T>(context: TracedContext, work: () => Promise<T>): Promise<T> {
    if (context.runtime.tracer.isSilent) return work();
    // A copy, because several operations may have the same context.
    const operation: TracedContext = { runtime: context.runtime, span: context.span };
    try {
      const result = await this.#contexts.run(operation, work);
      this.#endAll(operation, undefined);
      return result;
    } catch (error) {
      this.#endAll(operation, error);
      throw error;
    }
  }

  /** Records the requests and the responses of the transport from now on. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const context = this.#contexts.getStore();
      if (!context || !isRpcRequest(message)) return send(message, options);
      try {
        await send(this.#begin(context, message) as JSONRPCMessage, options);
      } catch (error) {
        const status = httpStatusOf(error);
        this.#end(message.id, {}, status === undefined ? error : namedError(String(status), String(error)));
        throw error;
      }
    };
    // The SDK sets the receiver several times, and the last receiver does not get all messages.
    let receive: Transport['onmessage'];
    const handleMessage: NonNullable<Transport['onmessage']> = (message, extra) => {
      this.#receive(message);
      receive?.(message, extra);
    };
    Object.defineProperty(transport, 'onmessage', {
      get: () => receive && handleMessage,
      set: (next: Transport['onmessage']) => {
        receive = next;
      },
    });
  }

  /** Called when the server has accepted a session. */
  beginSession({ runtime }: TracedContext): void {
    if (runtime.tracer.measure) this.#session = { runtime, startedAt: runtime.monotonic() };
  }

  /** Records the duration of the session, once. */
  endSession(failure?: unknown): void {
    const session = this.#session;
    this.#session = undefined;
    if (session) measureSession(session.runtime, { ...session, side: 'client', attributes: this.#describe(), failure });
  }

  #begin(context: TracedContext, message: RpcRequest): RpcMessage {
    const { runtime, span: parent } = context;
    const { tracer, logger } = runtime;
    const { id, method, params = {} } = message;
    const isCall = method === 'tools/call';
    const connectionAttributes = {
      'mcp.method.name': method,
      'jsonrpc.request.id': String(id),
      ...this.#describe(),
    };
    const target = typeof params['name'] === 'string' ? params['name'] : undefined;
    const attributes: SpanAttributes = {
      ...connectionAttributes,
      'gen_ai.operation.name': isCall ? 'execute_tool' : undefined,
      'gen_ai.tool.name': isCall ? target : undefined,
      'gen_ai.prompt.name': method === 'prompts/get' ? target : undefined,
      'mcp.resource.uri': tracer.capturesContent && typeof params['uri'] === 'string' ? params['uri'] : undefined,
    };
    let span: Span | undefined;
    if (isCall) {
      span = parent;
      callTracer(logger, () => {
        if (span && !span.isSilent) span.set(connectionAttributes);
      });
    } else {
      span = callTracer(logger, () => tracer.start(spanName(method, target), attributes, parent, { kind: 'client' }));
    }
    const traced = new TracedRequest({ runtime, side: 'client', attributes, span, ownsSpan: !isCall });
    this.#openRequests.set(id, { context, traced });
    const traceparent = span && formatTraceparent(span);
    if (traceparent === undefined) return message;
    return { ...message, params: { ...params, _meta: { ...metaOf(message), traceparent } } };
  }

  #receive(message: RpcMessage): void {
    const { id, method, result, error } = message;
    if (id === undefined || method !== undefined || !this.#openRequests.has(id)) return;
    // The client knows the version after it has read the response of `initialize`.
    const initializeVersion = parseVersion((result as { protocolVersion?: unknown } | undefined)?.protocolVersion);
    const attributes: SpanAttributes = {
      'mcp.protocol.version': this.#describe()['mcp.protocol.version'] ?? initializeVersion,
      ...(error && { 'rpc.response.status_code': String(error.code) }),
    };
    this.#end(id, attributes, failureOf(message));
  }

  #end(id: string | number, attributes: SpanAttributes, failure: unknown): void {
    const request = this.#openRequests.get(id);
    if (!this.#openRequests.delete(id)) return;
    request!.traced.end({ ...this.#describe(), ...attributes }, failure);
  }

  #endAll(context: TracedContext, failure: unknown): void {
    for (const [id, request] of this.#openRequests) if (request.context === context) this.#end(id, {}, failure);
  }
}
