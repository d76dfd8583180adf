import type { Content, InvocationContext, LlmRequest, MaybePromise, Tool } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import type { FlowSupport } from '../hooks/flow-support.ts';
import type { OutputTool } from './set-model-response-tool.ts';

/** A request while it is being built, and what the rest of its step needs to know of it. */
export interface RequestDraft {
  readonly agent: LlmAgent;
  readonly context: InvocationContext;
  readonly support: FlowSupport;
  /** Counts the agent's steps in this run of it, from 0. */
  readonly step: number;
  /** Said to the model after the history, and stored nowhere: an answer that did not do, and why. */
  readonly retry: readonly Content[];
  readonly request: LlmRequest;
  /** What the model may call. */
  tools: Map<string, Tool> | undefined;
  /** Where each of them comes from, for errors. */
  origins: Map<string, string> | undefined;
  /** Artifacts saved on the way, for the event that carries the answer. */
  readonly artifactDelta: { [filename: string]: number };
  /** Instructions that stand in the contents, because a static one holds the system's place. */
  dynamicInstruction: string;
  /** Where a typed answer comes in, if it comes as a call. */
  output: OutputTool | undefined;
}

/** Adds one thing to the request. */
export type RequestStep = (draft: RequestDraft) => MaybePromise<void>;
