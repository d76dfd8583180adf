export { serve } from './serve.ts';
export type { ServeOptions, Served } from './serve.ts';
