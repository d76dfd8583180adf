import { AgentTool, LlmAgent, LoopAgent, ParallelAgent, Runner, SequentialAgent } from '@thole/runner';
import type { RunnerClasses } from '@thole/testing/simulation';

/** The classes of the runner that simulations use. */
export const classes: RunnerClasses = { AgentTool, LlmAgent, LoopAgent, ParallelAgent, Runner, SequentialAgent };
