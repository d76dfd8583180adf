import type { Content, InvocationContext, LlmRequest, MaybePromise, Tool } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import type { FlowSupport } from '../hooks/flow-support.ts';
import type { OutputTool } from './set-model-response-tool.ts';

/** A request while it is being built, and data for the rest of its step. */
export interface RequestDraft {
  readonly agent: LlmAgent;
  readonly context: InvocationContext;
  readonly support: FlowSupport;
  /** Number of the agent's step in this turn, starting with 0. */
  readonly step: number;
  /** True if the request is not sent: only its tools are needed, to run the calls of a stored answer. */
  readonly isForCalls: boolean;
  /** Contents after the history that are never stored: an invalid answer and its problem, or unseen messages. */
  readonly retry: readonly Content[];
  readonly request: LlmRequest;
  /** `seq` of the newest event in the contents. */
  lastSeq: number;
  /** The tools that the model may call. */
  tools: Map<string, Tool> | undefined;
  /** The source of each tool, for errors. */
  origins: Map<string, string> | undefined;
  /** Artifacts saved while the request was built, for the event with the answer. */
  readonly artifactDelta: { [filename: string]: number };
  /** Instructions that go into the contents, because a static instruction is the system instruction. Otherwise empty. */
  dynamicInstruction: string;
  /** The tool that receives a typed answer. Undefined if the typed answer does not come as a call. */
  output: OutputTool | undefined;
}

/** Adds one part to the request. */
export type RequestStep = (draft: RequestDraft) => MaybePromise<void>;
