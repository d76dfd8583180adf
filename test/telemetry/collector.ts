import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeMetrics, decodeTraces } from './otlp-messages.ts';
import type { OtlpMetric, OtlpMetrics, OtlpSpan, OtlpTraces } from './otlp-messages.ts';

/** A request that a collector has received. */
export interface CollectorRequest {
  path: string;
  /** Undefined while it is not answered. */
  status?: number | undefined;
  type: string | undefined;
  traces?: OtlpTraces | undefined;
  metrics?: OtlpMetrics | undefined;
}

/** A server that receives OTLP as protobuf over HTTP. */
export interface Collector {
  url: string;
  /** All requests, oldest first, also those that are not answered. */
  requests: CollectorRequest[];
  /** Spans of accepted requests, in the order of their arrival. */
  spans(): OtlpSpan[];
  /** Metrics of accepted requests, in the order of their arrival. */
  metrics(): OtlpMetric[];
  close(): Promise<void>;
}

/** Answers a request. `index` counts the requests to the same path, from 0. */
export type CollectorAnswer = (response: ServerResponse, path: string, index: number) => void;

/** Answers that everything was accepted: an empty message. */
export function accepts(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
}

/** Starts a collector on a free port of this machine. */
export async function startCollector(answer: CollectorAnswer = accepts): Promise<Collector> {
  const requests: CollectorRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const index = requests.filter((earlier) => earlier.path === path).length;
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const received: CollectorRequest = {
        path,
        type: request.headers['content-type'],
        traces: path === '/v1/traces' ? decodeTraces(body) : undefined,
        metrics: path === '/v1/metrics' ? decodeMetrics(body) : undefined,
      };
      requests.push(received);
      response.on('finish', () => (received.status = response.statusCode));
      answer(response, path, index);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const accepted = (): CollectorRequest[] => requests.filter(({ status }) => status === 200);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      accepted()
        .flatMap(({ traces }) => traces?.resourceSpans ?? [])
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    metrics: () =>
      accepted()
        .flatMap(({ metrics }) => metrics?.resourceMetrics ?? [])
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
