import type { Content, GenerateContentConfig, InvocationContext, Json, MaybePromise } from '@thole/core';
import { thawJson } from '@thole/core/kit';
import type { LlmAgent } from '../agents/llm-agent.ts';
import { flowSupport } from '../hooks/flow-support.ts';
import { addContents } from './add-contents.ts';
import { addContextCache } from './add-context-cache.ts';
import { addIdentity } from './add-identity.ts';
import { addInstructions } from './add-instructions.ts';
import { addOutputSchema } from './add-output-schema.ts';
import { addTools } from './add-tools.ts';
import { addTransferTargets } from './add-transfer-targets.ts';
import type { RequestDraft, RequestStep } from './request-draft.ts';

const steps: readonly RequestStep[] = [
  addInstructions,
  addIdentity,
  addContents,
  addTools,
  addTransferTargets,
  addOutputSchema,
  addContextCache,
];

/**
 * Returns the request for the agent's model in this step, synchronously if all parts are synchronous. With `isForCalls` the request
 * is not sent and has no history.
 */
export function buildRequest(
  agent: LlmAgent,
  context: InvocationContext,
  p: { step: number; retry: readonly Content[] },
  isForCalls: boolean,
): MaybePromise<RequestDraft> {
  const draft: RequestDraft = {
    agent,
    context,
    support: flowSupport(context),
    step: p.step,
    isForCalls,
    retry: p.retry,
    request: { contents: [], config: configOf(agent, p.step) },
    lastSeq: 0,
    tools: undefined,
    origins: undefined,
    artifactDelta: {},
    dynamicInstruction: '',
    output: undefined,
  };
  if (agent.providerOptions) draft.request.providerOptions = thawJson(agent.providerOptions);
  return takeSteps(draft, 0);
}

// Waits only if a step returns a promise: most steps are synchronous.
function takeSteps(draft: RequestDraft, from: number): MaybePromise<RequestDraft> {
  for (let i = from; i < steps.length; i++) {
    const pending = steps[i]!(draft);
    if (pending) {
      return pending.then(() => {
        draft.context.signal.throwIfAborted();
        return takeSteps(draft, i + 1);
      });
    }
  }
  return draft;
}

// Returns a copy that hooks may change. A call is forced only in the first step of a turn; otherwise the model could
// never answer.
function configOf(agent: LlmAgent, step: number): GenerateContentConfig {
  if (!agent.generateContentConfig) return {};
  const config = thawJson(agent.generateContentConfig as Json) as GenerateContentConfig;
  const calling = config.toolConfig?.functionCallingConfig;
  if (step > 0 && calling?.mode === 'ANY')
    config.toolConfig = { ...config.toolConfig, functionCallingConfig: { mode: 'AUTO' } };
  return config;
}
