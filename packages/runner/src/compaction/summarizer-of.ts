import { TholeError } from '@thole/core';
import type { AgentTree, CompactionOptions, Llm, Summarizer } from '@thole/core';
import { findModel } from '../request/find-model.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { LlmSummarizer } from './llm-summarizer.ts';

/** Throws `INVALID_INPUT` if there is neither a summarizer nor a model of the root agent. */
export function assertSummarizer(options: CompactionOptions, tree: AgentTree): void {
  if (options.summarizer || modelOf(tree) !== undefined) return;
  const message = `app.compaction needs a summarizer, because agent ${tree.root.name} has no model.`;
  throw new TholeError('INVALID_INPUT', `${message} Set app.compaction.summarizer to new LlmSummarizer({ model }).`);
}

/** Returns a summarizer with the model of the root agent. */
export function summarizerOf(tree: AgentTree, p: { findModel(name: string): Llm }): Summarizer {
  const model = modelOf(tree)!;
  return new LlmSummarizer({ model: typeof model === 'string' ? p.findModel(model) : model });
}

function modelOf(tree: AgentTree): Llm | string | undefined {
  return isLlmAgent(tree.root) ? findModel(tree.root, tree) : undefined;
}
