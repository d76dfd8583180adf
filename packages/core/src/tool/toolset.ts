import type { ReadonlyContext } from '../agent/contexts.ts';
import type { Tool } from './tool.ts';

/** Tools that are determined at run time. The run calls `getTools` once per step, and `Runner.close` calls `close`. */
export interface Toolset {
  getTools(context: ReadonlyContext): Promise<readonly Tool[]>;
  close(): Promise<void>;
}
