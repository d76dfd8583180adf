import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}
interface OtlpSpan {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes: OtlpAttribute[];
}
interface OtlpMetric {
  name: string;
  unit: string;
  histogram: { dataPoints: { attributes: OtlpAttribute[]; count: number | string }[] };
}
interface OtlpBody {
  resourceSpans?: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
  resourceMetrics?: { resource: { attributes: OtlpAttribute[] }; scopeMetrics: { metrics: OtlpMetric[] }[] }[];
}

// A collector: it receives OTLP over HTTP as JSON.
const received: { path: string | undefined; type: string | undefined; body: OtlpBody }[] = [];
let collector: Server;
let url: string;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(new TextDecoder().decode(Buffer.concat(chunks))) as OtlpBody;
      received.push({ path: request.url, type: request.headers['content-type'], body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => void collector.close(resolve)));

/** Runs docs/examples/telemetry.ts on the sources. Returns its output and its exit code. */
async function runExample(env: NodeJS.ProcessEnv): Promise<{ output: string; code: unknown }> {
  const inherited = Object.entries(process.env).filter(([key]) => !/_API_KEY$|^VITEST|^NODE_|^OTEL_/.test(key));
  const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, 'telemetry.ts'], {
    cwd: join(root, 'docs/examples'),
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    timeout: 60_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { output, code };
}

function textOf(attributes: readonly OtlpAttribute[], name: string): string | undefined {
  return attributes.find(({ key }) => key === name)?.value.stringValue;
}

describe('docs/examples/telemetry.ts', () => {
  it('sends the spans and metrics of a run to a collector over OTLP', async () => {
    const { output, code } = await runExample({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(output).toBe(
      'No key is set: a demo model answers by a few rules.\n' +
        'The tool returned {"orderId":"1042","status":"shipped"}\n',
    );
    expect(code).toBe(0);
    expect(new Set(received.map(({ path, type }) => `${path} ${type}`))).toEqual(
      new Set(['/v1/traces application/json', '/v1/metrics application/json']),
    );
    const traces = received.flatMap(({ body }) => body.resourceSpans ?? []);
    const spans = traces.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const parents = spans.map(({ name, parentSpanId }) => [name, parentSpanId && nameOf.get(parentSpanId)]);
    expect(parents).toEqual(
      expect.arrayContaining([
        ['invocation', undefined],
        ['invoke_agent clerk', 'invocation'],
        ['generate_content demo', 'invoke_agent clerk'],
        ['execute_tool order_status', 'invoke_agent clerk'],
        ['append_event', 'invocation'],
      ]),
    );
    const measured = received.flatMap(({ body }) => body.resourceMetrics ?? []);
    const metrics = measured.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    expect(Object.fromEntries(metrics.map(({ name, unit }) => [name, unit]))).toEqual({
      'gen_ai.workflow.duration': 's',
      'gen_ai.invoke_agent.duration': 's',
      'gen_ai.client.operation.duration': 's',
      'gen_ai.execute_tool.duration': 's',
    });
    const [tool] = metrics.find(({ name }) => name === 'gen_ai.execute_tool.duration')!.histogram.dataPoints;
    expect(textOf(tool!.attributes, 'gen_ai.tool.name')).toBe('order_status');
    for (const { resource } of [...traces, ...measured])
      expect(textOf(resource.attributes, 'service.name')).toBe('shop');
  });

  it('prints spans and metrics without a collector', async () => {
    const { output, code } = await runExample({});
    expect(code).toBe(0);
    expect(output).toContain("name: 'invoke_agent clerk'");
    expect(output).toContain("name: 'gen_ai.workflow.duration'");
  });
});
