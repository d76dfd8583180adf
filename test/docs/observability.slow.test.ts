import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { startCollector } from '../telemetry/collector.ts';
import type { Collector, CollectorAnswer } from '../telemetry/collector.ts';
import type { OtlpAttribute } from '../telemetry/otlp-messages.ts';
import { packageFlags } from '../servers/package-flags.ts';

let collector: Collector | undefined;
afterEach(async () => {
  await collector?.close();
  collector = undefined;
});

/** Runs docs/examples/telemetry.ts on the sources. Returns what it printed and its exit code. */
async function runExample(env: NodeJS.ProcessEnv): Promise<{ output: string; errors: string; code: unknown }> {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)|^OTEL_/.test(key),
  );
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, 'telemetry.ts'], {
    cwd: join(root, 'docs/examples'),
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    timeout: 60_000,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { output, errors, code };
}

function textOf(attributes: readonly OtlpAttribute[], name: string): string | undefined {
  return attributes.find(({ key }) => key === name)?.value.stringValue;
}

const answer =
  'No key is set: a demo model answers by a few rules.\n' + 'The tool returned {"orderId":"1042","status":"shipped"}\n';

describe('docs/examples/telemetry.ts', () => {
  it('sends the spans and metrics of a run to a collector over OTLP', async () => {
    collector = await startCollector();
    const { output, errors, code } = await runExample({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect({ output, errors, code }).toEqual({ output: answer, errors: '', code: 0 });
    expect(new Set(collector.requests.map(({ path, type }) => `${path} ${type}`))).toEqual(
      new Set(['/v1/traces application/x-protobuf', '/v1/metrics application/x-protobuf']),
    );
    const spans = collector.spans();
    const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    expect(spans.map(({ name, parentSpanId }) => [name, nameOf.get(parentSpanId)])).toEqual(
      expect.arrayContaining([
        ['invocation', undefined],
        ['invoke_agent clerk', 'invocation'],
        ['generate_content demo', 'invoke_agent clerk'],
        ['execute_tool order_status', 'invoke_agent clerk'],
        ['append_event', 'invocation'],
      ]),
    );
    const kinds = new Map(spans.map(({ name, kind }) => [name, kind]));
    expect([kinds.get('generate_content demo'), kinds.get('execute_tool order_status')]).toEqual([3, 1]);
    const metrics = collector.metrics();
    expect(Object.fromEntries(metrics.map(({ name, unit }) => [name, unit]))).toEqual({
      'gen_ai.workflow.duration': 's',
      'gen_ai.invoke_agent.duration': 's',
      'gen_ai.client.operation.duration': 's',
      'gen_ai.execute_tool.duration': 's',
    });
    const [tool] = metrics.find(({ name }) => name === 'gen_ai.execute_tool.duration')!.histogram!.dataPoints;
    expect([textOf(tool!.attributes, 'gen_ai.tool.name'), tool!.count]).toEqual(['order_status', 1]);
    const resources = collector.requests.flatMap(({ traces, metrics: measured }) =>
      [...(traces?.resourceSpans ?? []), ...(measured?.resourceMetrics ?? [])].map(({ resource }) => resource),
    );
    expect(new Set(resources.map(({ attributes }) => textOf(attributes, 'service.name')))).toEqual(new Set(['shop']));
  });

  it('prints spans and metrics without a collector', async () => {
    const { output, code } = await runExample({});
    expect(code).toBe(0);
    expect(output).toContain("name: 'invoke_agent clerk'");
    expect(output).toContain("name: 'gen_ai.workflow.duration'");
  });

  it('answers, ends with 0 and logs the reason if no collector is running', async () => {
    collector = await startCollector();
    const { url } = collector;
    await collector.close();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '1000' };
    const { output, errors, code } = await runExample(env);
    expect({ begin: output.slice(0, answer.length), code }).toEqual({ begin: answer, code: 0 });
    expect(errors).toContain('The last spans or metrics were not sent. Error: connect ECONNREFUSED');
    expect(errors).toContain('metrics export failed (error Error: connect ECONNREFUSED');
  });

  const failures: [name: string, answers: CollectorAnswer, logged: string[]][] = [
    [
      '429 with a long Retry-After',
      (response) => void response.writeHead(429, { 'retry-after': '3600' }).end(),
      ['Export retry time 3600000ms exceeds remaining timeout', 'Export failed with retryable status'],
    ],
    [
      '503',
      (response) => void response.writeHead(503).end(),
      ['exceeds remaining timeout', 'Export failed with retryable status'],
    ],
    ['400', (response) => void response.writeHead(400).end(), ['OTLPExporterError: Bad Request']],
    ['no response', () => undefined, ['Error: Request timed out']],
  ];
  it.each(failures)('answers, ends with 0 and logs the reason if the collector has %s', async (_, answers, logged) => {
    collector = await startCollector(answers);
    const { output, errors, code } = await runExample({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    });
    expect({ begin: output.slice(0, answer.length), code }).toEqual({ begin: answer, code: 0 });
    expect(errors).toContain('The last spans or metrics were not sent.');
    expect(errors).toContain('metrics export failed');
    // The SDK logs its decisions with console.info, which writes to the other stream.
    for (const text of logged) expect(output + errors).toContain(text);
  });
});
