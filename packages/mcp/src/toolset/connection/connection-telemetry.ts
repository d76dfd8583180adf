import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { callTracer } from '@thole/core/kit';
import type { ReadonlyContext, Runtime, Span, SpanAttributes } from '@thole/core';
import { failureOf, isRpcRequest, metaOf, namedError, spanName, versionIn } from '../../telemetry/rpc-message.ts';
import type { RpcMessage, RpcRequest } from '../../telemetry/rpc-message.ts';
import { measureSession, TracedRequest } from '../../telemetry/traced-request.ts';
import { formatTraceparent } from '../../telemetry/traceparent.ts';
import { httpStatusOf } from './to-mcp-error.ts';

/** The part of a context that traces need. */
export type TracedContext = Pick<ReadonlyContext, 'runtime' | 'span'>;

interface OpenRequest {
  readonly context: TracedContext;
  readonly traced: TracedRequest;
}

/**
 * Spans and metrics of one connection, with the names of OpenTelemetry's conventions. A call of a tool has the span of the
 * tool and no second one. Without a tracer, messages pass unchanged.
 */
export class ConnectionTelemetry {
  readonly #describe: () => SpanAttributes;
  readonly #contexts = new AsyncLocalStorage<TracedContext>();
  readonly #open = new Map<string | number, OpenRequest>();
  #session: { readonly runtime: Runtime; readonly begun: number } | undefined;

  /** `describe` returns the attributes of the connection that are known now. */
  constructor(describe: () => SpanAttributes) {
    this.#describe = describe;
  }

  /** Calls `work`. Its requests are below the span of the context, and end with it at the latest. */
  async run<T>(context: TracedContext, work: () => Promise<T>): Promise<T> {
    if (context.runtime.tracer.isSilent) return work();
    // Several operations may have one context.
    const own: TracedContext = { runtime: context.runtime, span: context.span };
    try {
      const result = await this.#contexts.run(own, work);
      this.#endAll(own, undefined);
      return result;
    } catch (error) {
      this.#endAll(own, error);
      throw error;
    }
  }

  /** Sees the requests and the responses of the transport from now on. */
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
    // The SDK sets the receiver several times, and the last one does not see all messages.
    let receive: Transport['onmessage'];
    const received: NonNullable<Transport['onmessage']> = (message, extra) => {
      this.#receive(message);
      receive?.(message, extra);
    };
    Object.defineProperty(transport, 'onmessage', {
      get: () => receive && received,
      set: (next: Transport['onmessage']) => {
        receive = next;
      },
    });
  }

  /** Called when the server has accepted a session. */
  beginSession({ runtime }: TracedContext): void {
    if (runtime.tracer.measure) this.#session = { runtime, begun: runtime.monotonic() };
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
    const ofConnection = {
      'mcp.method.name': method,
      'jsonrpc.request.id': String(id),
      ...this.#describe(),
    };
    const target = typeof params['name'] === 'string' ? params['name'] : undefined;
    const attributes: SpanAttributes = {
      ...ofConnection,
      'gen_ai.operation.name': isCall ? 'execute_tool' : undefined,
      'gen_ai.tool.name': isCall ? target : undefined,
      'gen_ai.prompt.name': method === 'prompts/get' ? target : undefined,
      'mcp.resource.uri': tracer.capturesContent && typeof params['uri'] === 'string' ? params['uri'] : undefined,
    };
    let span: Span | undefined;
    if (isCall) {
      span = parent;
      callTracer(logger, () => {
        if (span && !span.isSilent) span.set(ofConnection);
      });
    } else {
      span = callTracer(logger, () => tracer.start(spanName(method, target), attributes, parent, { kind: 'client' }));
    }
    const traced = new TracedRequest({ runtime, side: 'client', attributes, span, ownsSpan: !isCall });
    this.#open.set(id, { context, traced });
    const traceparent = span && formatTraceparent(span);
    if (traceparent === undefined) return message;
    return { ...message, params: { ...params, _meta: { ...metaOf(message), traceparent } } };
  }

  #receive(message: RpcMessage): void {
    const { id, method, result, error } = message;
    if (id === undefined || method !== undefined || !this.#open.has(id)) return;
    // The client knows the version after it has read the response of `initialize`.
    const offered = versionIn((result as { protocolVersion?: unknown } | undefined)?.protocolVersion);
    const attributes: SpanAttributes = {
      'mcp.protocol.version': this.#describe()['mcp.protocol.version'] ?? offered,
      ...(error && { 'rpc.response.status_code': String(error.code) }),
    };
    this.#end(id, attributes, failureOf(message));
  }

  #end(id: string | number, attributes: SpanAttributes, failure: unknown): void {
    const request = this.#open.get(id);
    if (!this.#open.delete(id)) return;
    request!.traced.end({ ...this.#describe(), ...attributes }, failure);
  }

  #endAll(context: TracedContext, failure: unknown): void {
    for (const [id, request] of this.#open) if (request.context === context) this.#end(id, {}, failure);
  }
}
