export { AutoIngestPlugin } from './auto-ingest-plugin.ts';
export type { AutoIngestPluginOptions } from './auto-ingest-plugin.ts';
