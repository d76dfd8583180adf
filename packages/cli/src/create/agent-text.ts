import type { ModelChoice } from './project-files.ts';

/** The text of a new project's `agent.ts`. */
export function agentText(name: string, { provider, model }: ModelChoice): string {
  const isDemo = provider === 'demo';
  return `import { LlmAgent } from '@thole/runner';
import { FunctionTool } from '@thole/tools';
${isDemo ? "import { DemoLlm } from './demo-llm.ts';\n" : ''}
const currentTime = new FunctionTool({
  name: 'current_time',
  description: 'Tells what time it is in a time zone.',
  parameters: {
    type: 'object',
    properties: { timeZone: { type: 'string', description: 'An IANA name, such as Europe/Paris' } },
    required: ['timeZone'],
  },
  execute: ({ timeZone }) => ({
    time: new Intl.DateTimeFormat('en-GB', { timeZone: String(timeZone), timeStyle: 'short' }).format(new Date()),
  }),
});

export const rootAgent = new LlmAgent({
  name: '${agentNameOf(name)}',
  description: 'Knows what time it is anywhere.',
  model: ${isDemo ? 'new DemoLlm()' : `'${model}'`},
  instruction: 'You are a friendly assistant. Answer shortly. Ask current_time whenever you need to know the time.',
  tools: [currentTime],
});
`;
}

/** An agent's name is an identifier, and neither `user` nor `system`. */
function agentNameOf(name: string): string {
  const identifier = name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');
  return ['user', 'system'].includes(identifier) ? `${identifier}_agent` : identifier;
}
