export { Runner } from './runner/runner.ts';
export type { CompactRequest } from './runner/runner.ts';
export type { RunRequest } from './invocation/run-request.ts';
export type { RunnerOptions, RunnerSubject } from './runner/runner-options.ts';
export type { Concurrency } from './session/lease.ts';
export type { Completion, Run, RunResult } from './runner/run.ts';
export type { ResumeRequest } from './invocation/run-request.ts';
export type { RecoveredInvocation, RecoverOptions, RecoveryResult, SkipReason } from './resume/recover.ts';
export type { ForkRequest } from './rewind/fork-session.ts';
export type { RegenerateRequest, RewindRequest } from './runner/session-requests.ts';
export { findAgentToRun } from './history/find-agent-to-run.ts';
export { BaseAgent } from './agents/base-agent.ts';
export type { BaseAgentOptions } from './agents/base-agent.ts';
export { LlmAgent } from './agents/llm-agent.ts';
export type {
  AfterModelCallback,
  AfterToolCallback,
  BeforeModelCallback,
  BeforeToolCallback,
  Instruction,
  LlmAgentOptions,
  OnModelErrorCallback,
  OnToolErrorCallback,
} from './agents/llm-agent-options.ts';
export { SequentialAgent } from './agents/sequential-agent.ts';
export type { SequentialAgentOptions } from './agents/sequential-agent.ts';
export { ParallelAgent } from './agents/parallel-agent.ts';
export type { ParallelAgentOptions } from './agents/parallel-agent.ts';
export { LoopAgent } from './agents/loop-agent.ts';
export type { LoopAgentOptions } from './agents/loop-agent.ts';
export { AgentTool } from './agents/agent-tool.ts';
export type { AgentToolOptions } from './agents/agent-tool.ts';
export { LlmSummarizer } from './compaction/llm-summarizer.ts';
export type { LlmSummarizerOptions } from './compaction/llm-summarizer.ts';
export type { CompactionResult } from './compaction/compaction-record.ts';
export { FallbackLlm } from './models/fallback-llm.ts';
export type { FallbackLlmOptions } from './models/fallback-llm.ts';
export { BudgetPlugin } from './plugins/budget-plugin.ts';
export type { BudgetLimits, BudgetPluginOptions } from './plugins/budget-plugin.ts';
export { InMemoryUsageCounter } from './plugins/usage-counter.ts';
export type { UsageCounter, UsedBudget } from './plugins/usage-counter.ts';
export { ContextFilterPlugin } from './plugins/context-filter-plugin.ts';
export type { ContextFilterPluginOptions } from './plugins/context-filter-plugin.ts';
export { trimToolResults } from './plugins/trim-tool-results.ts';
export type { TrimToolResultsOptions } from './plugins/trim-tool-results.ts';
export { GlobalInstructionPlugin } from './plugins/global-instruction-plugin.ts';
export type { GlobalInstructionPluginOptions } from './plugins/global-instruction-plugin.ts';
export { LoggingPlugin } from './plugins/logging-plugin.ts';
export type { LoggingPluginOptions } from './plugins/logging-plugin.ts';
export { ReflectAndRetryToolPlugin } from './plugins/reflect-and-retry-tool-plugin.ts';
export type { ReflectAndRetryToolPluginOptions } from './plugins/reflect-and-retry-tool-plugin.ts';
export { SaveFilesAsArtifactsPlugin } from './plugins/save-files-as-artifacts-plugin.ts';
export { ToolPolicyPlugin } from './plugins/tool-policy-plugin.ts';
export type { ToolDecision, ToolPolicyPluginOptions, ToolPolicyRule } from './plugins/tool-policy-plugin.ts';
