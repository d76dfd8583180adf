import type { ReadonlyContext } from '../agent/contexts.ts';
import type { Tool } from './tool.ts';

/** Tools that are determined at run time. Called once per step; closed when the runner is closed. */
export interface Toolset {
  getTools(context: ReadonlyContext): Promise<readonly Tool[]>;
  close(): Promise<void>;
}
