import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read } from '../architecture/workspace.ts';

interface CollectorConfig {
  receivers: Record<string, { protocols: Record<string, { endpoint: string }> }>;
  processors: Record<string, object>;
  exporters: Record<string, { endpoint: string }>;
  service: { pipelines: Record<string, Record<Kind, string[]>> };
}
interface Compose {
  services: Record<
    string,
    { image: string; command?: string[]; volumes?: string[]; ports: string[]; depends_on?: string[] }
  >;
}
type Kind = (typeof kinds)[number];

const kinds = ['receivers', 'processors', 'exporters'] as const;
const page = read('docs/guides/observability.md');
/** The page without its files. */
const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
const config = parse(read('docs/deploy/otel-collector.yaml')) as CollectorConfig;
const compose = parse(read('docs/deploy/compose.telemetry.yaml')) as Compose;
const pipelines = Object.values(config.service.pipelines);

/** Components of the image at its pinned version, with their signals and the options that the file may use. */
const components: Record<Kind, Record<string, { signals: string[]; options: string[] }>> = {
  receivers: { otlp: { signals: ['traces', 'metrics', 'logs'], options: ['protocols'] } },
  processors: {
    memory_limiter: { signals: ['traces', 'metrics', 'logs'], options: ['check_interval', 'limit_mib'] },
    batch: { signals: ['traces', 'metrics', 'logs'], options: [] },
  },
  exporters: {
    otlp: { signals: ['traces', 'metrics', 'logs'], options: ['endpoint', 'tls'] },
    prometheus: { signals: ['metrics'], options: ['endpoint'] },
  },
};
const typeOf = (id: string): string => id.split('/')[0]!;
const portOf = (endpoint: string): string => endpoint.split(':').at(-1)!;
/** Returns the ports of the container that a service of the compose file publishes on this machine, by their port here. */
const published = (service: string): Record<string, string> =>
  Object.fromEntries(compose.services[service]!.ports.map((port) => port.split(':').slice(1) as [string, string]));

describe('docs/deploy/otel-collector.yaml', () => {
  it.each(kinds)('defines the %s that its pipelines name, and uses all of them', (kind) => {
    const used = pipelines.flatMap((pipeline) => pipeline[kind]);
    expect(new Set(used)).toEqual(new Set(Object.keys(config[kind])));
  });

  it.each(kinds)('uses %s and options that the image has', (kind) => {
    for (const [id, options] of Object.entries(config[kind])) {
      const component = components[kind][typeOf(id)];
      expect(component, id).toBeDefined();
      expect(component!.options, id).toEqual(expect.arrayContaining(Object.keys(options)));
    }
    for (const [signal, pipeline] of Object.entries(config.service.pipelines))
      for (const id of pipeline[kind])
        expect(components[kind][typeOf(id)]!.signals, `${id} for ${signal}`).toContain(signal);
  });

  it('has pipelines for spans and metrics that limit memory first and batch last', () => {
    expect(Object.keys(config.service.pipelines)).toEqual(['traces', 'metrics']);
    for (const { processors } of pipelines) {
      expect(processors[0]).toBe('memory_limiter');
      expect(processors.at(-1)).toBe('batch');
    }
  });
});

describe('docs/deploy/compose.telemetry.yaml', () => {
  it('pins its images to versions that the page names', () => {
    for (const { image } of Object.values(compose.services)) {
      const [, version] = /^[\w/-]+:(\d+\.\d+\.\d+)$/.exec(image) ?? [];
      expect(version, image).toBeDefined();
      expect(prose).toContain(version);
    }
  });

  it('gives the collector the file that its command names', () => {
    const { command, volumes } = compose.services['collector']!;
    const [, path] = /^--config=(.*)$/.exec(command![0]!)!;
    expect(volumes).toEqual([`./otel-collector.yaml:${path}:ro`]);
  });

  it('publishes the port to which the page sends, where the collector receives OTLP over HTTP', () => {
    const [, port] = /OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/localhost:(\d+)/.exec(page)!;
    const { http, grpc } = config.receivers['otlp']!.protocols;
    expect(published('collector')[port!]).toBe(portOf(http!.endpoint));
    expect([http!.endpoint, grpc!.endpoint]).toEqual(['0.0.0.0:4318', '0.0.0.0:4317']);
  });

  it('publishes the metrics and the page with traces where the guide opens them', () => {
    const [, metrics] = /`http:\/\/localhost:(\d+)\/metrics`/.exec(page)!;
    expect(published('collector')[metrics!]).toBe(portOf(config.exporters['prometheus']!.endpoint));
    const [, traces] = /`http:\/\/localhost:(\d+)` and choose/.exec(page)!;
    // Jaeger's own ports: 16686 for its page, 4317 for OTLP over gRPC.
    expect(published('jaeger')[traces!]).toBe('16686');
  });

  it('starts the service to which the collector sends spans', () => {
    const [host, port] = config.exporters['otlp/jaeger']!.endpoint.split(':');
    expect(compose.services[host!]).toBeDefined();
    expect(compose.services['collector']!.depends_on).toContain(host);
    expect(port).toBe('4317');
  });

  it('publishes ports on this machine only', () => {
    for (const { ports } of Object.values(compose.services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });
});
