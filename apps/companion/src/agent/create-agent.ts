import type { IdentityStore } from '@thole/channels';
import type { Llm, ReadonlyContext, Tool } from '@thole/core';
import { LlmAgent } from '@thole/runner';

/** Options of `createAgent`. */
export interface AgentOptions {
  llm: Llm;
  tools: readonly Tool[];
  /** True if the memory tools are among the tools. */
  hasMemory: boolean;
  identities: IdentityStore;
  timeZone: string;
}

/** Creates the agent of the companion. Its instruction contains the user's name and the time. */
export function createAgent({ llm, tools, hasMemory, identities, timeZone }: AgentOptions): LlmAgent {
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone });
  return new LlmAgent({
    name: 'companion',
    description: 'A companion that knows a person on every channel.',
    model: llm,
    instruction: async ({ runtime, userId }: ReadonlyContext) => {
      const name = (await identities.get(userId))?.name ?? userId;
      const now = format.format(new Date(runtime.now() * 1_000));
      return [
        ...RULES,
        ...(hasMemory ? MEMORY_RULES : []),
        `You talk to ${JSON.stringify(name)}. It is ${now} (${timeZone}).`,
      ].join('\n');
    },
    tools,
  });
}

const RULES = [
  'You are a companion who talks to one person on several channels. Answer briefly, in the language of the person.',
  'Tasks are on a board: use add_task, complete_task and list_tasks. For a time, use remind_me.',
  'Use message_user only if the person wants another person to get a message, and pass the words unchanged. If its answer has `ask`, ask that.',
];
const MEMORY_RULES = [
  'USER_PROFILE contains what you know about the person. For anything else about the past, call load_memory first.',
  'Call remember when the person tells something lasting about themselves or wants you to remember it.',
];
