export { main } from './program.ts';
export type { MainOptions } from './host.ts';
