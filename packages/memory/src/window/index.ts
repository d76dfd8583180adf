export { SessionWindowPlugin } from './session-window-plugin.ts';
export type { SessionWindowPluginOptions } from './session-window-plugin.ts';
