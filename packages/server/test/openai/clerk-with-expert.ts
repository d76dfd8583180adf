import { AgentTool, LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';

/** An agent that uses another one as a tool, once. All three model calls use 122 tokens, 4 of them for output. */
export function clerkWithExpert(): LlmAgent {
  const used = (input: number, output: number): object => ({
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
  });
  const expert = new LlmAgent({ name: 'expert', model: new ScriptedLlm({ ...says('42'), ...used(100, 2) }) });
  const model = new ScriptedLlm(
    { ...calls('expert', { request: 'Sum?' }, 'c1'), ...used(8, 1) },
    { ...says('It is 42.'), ...used(10, 1) },
  );
  return new LlmAgent({ name: 'clerk', model, tools: [new AgentTool({ agent: expert })] });
}
