export { toNodeListener } from './node-listener.ts';
export type { NodeListener } from './node-listener.ts';
export { serve } from './serve.ts';
export type { ServeOptions, RunningServer } from './serve.ts';
