import type { ModelChoice } from './project-files.ts';

/** The created project imports zod; this package does not. */
const SCHEMAS = `import { z } from ${"'zod'"};`;

/** Returns the text of a new project's `agent.ts`. */
export function agentText(name: string, { provider, model }: ModelChoice): string {
  const isDemo = provider === 'demo';
  return `import type { Llm } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { FunctionTool, loadMemoryTool, rememberTool } from '@thole/tools';
${SCHEMAS}
${isDemo ? "import { DemoLlm } from './demo-llm.ts';\n" : ''}
/** A tool. The arguments of \`execute\` have the types of the schema. */
export const currentTime = new FunctionTool({
  name: 'current_time',
  description: 'Returns the time in a time zone.',
  parameters: z.object({ timeZone: z.string().describe('An IANA name, such as Europe/Paris') }),
  execute: ({ timeZone }) => ({
    time: new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' }).format(new Date()),
  }),
});

/** Creates the agent with a model. Tests pass a scripted one. */
export function createAgent(model: string | Llm): LlmAgent {
  return new LlmAgent({
    name: '${agentNameOf(name)}',
    description: 'Tells the time anywhere, and remembers facts.',
    model,
    instruction: [
      'You are a friendly assistant. Give short answers.',
      'Call current_time when you need the time.',
      'Call remember for facts that the user wants you to keep. Call load_memory before answers that may depend on them.',
    ].join(' '),
    tools: [currentTime, rememberTool(), loadMemoryTool()],
  });
}

export const rootAgent = createAgent(${isDemo ? 'new DemoLlm()' : `'${model}'`});
`;
}

/** Returns a valid name of an agent: an identifier other than `user` and `system`. */
function agentNameOf(name: string): string {
  const identifier = name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');
  return ['user', 'system'].includes(identifier) ? `${identifier}_agent` : identifier;
}
