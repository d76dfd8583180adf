import type { ReadonlyContext } from '../agent/contexts.ts';
import type { Tool } from './tool.ts';

/** Tools that are found out while running. Asked once a step; closed when the runner is. */
export interface Toolset {
  getTools(context: ReadonlyContext): Promise<readonly Tool[]>;
  close(): Promise<void>;
}
