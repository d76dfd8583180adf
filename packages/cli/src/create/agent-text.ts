import type { ModelChoice } from './project-files.ts';

/** The made project imports it, and this package does not. */
const SCHEMAS = `import { z } from ${"'zod'"};`;

/** Returns the text of a new project's `agent.ts`. */
export function agentText(name: string, { provider, model }: ModelChoice): string {
  const isDemo = provider === 'demo';
  return `import type { Llm } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { FunctionTool, loadMemoryTool, rememberTool } from '@thole/tools';
${SCHEMAS}
${isDemo ? "import { DemoLlm } from './demo-llm.ts';\n" : ''}
/** The arguments of \`execute\` have the types of the schema. */
export const currentTime = new FunctionTool({
  name: 'current_time',
  description: 'Tells what time it is in a time zone.',
  parameters: z.object({ timeZone: z.string().describe('An IANA name, such as Europe/Paris') }),
  execute: ({ timeZone }) => ({
    time: new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' }).format(new Date()),
  }),
});

/** Makes the agent with a model, so that tests can give it one that follows a script. */
export function createAgent(model: string | Llm): LlmAgent {
  return new LlmAgent({
    name: '${agentNameOf(name)}',
    description: 'Knows what time it is anywhere, and remembers what the user tells.',
    model,
    instruction: [
      'You are a friendly assistant. Answer shortly.',
      'Call current_time whenever you need to know the time.',
      'Call remember for what the user wants you to keep, and load_memory before you answer what depends on it.',
    ].join(' '),
    tools: [currentTime, rememberTool(), loadMemoryTool()],
  });
}

export const rootAgent = createAgent(${isDemo ? 'new DemoLlm()' : `'${model}'`});
`;
}

/** An agent's name is an identifier, and neither `user` nor `system`. */
function agentNameOf(name: string): string {
  const identifier = name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');
  return ['user', 'system'].includes(identifier) ? `${identifier}_agent` : identifier;
}
