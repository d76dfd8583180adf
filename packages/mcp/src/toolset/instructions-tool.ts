import { appendInstruction } from '@thole/core/kit';
import type { Tool } from '@thole/core';
import { quoteServerText } from './declarations/quote-server-text.ts';

const MAX_INSTRUCTIONS = 4_096;

/** Returns a passive tool that adds the instructions of a server to the system instruction, quoted. */
export function createInstructionsTool(instructions: string, server: string): Tool {
  const intro = `The tools of the MCP server "${server}" come with notes on their use.`;
  const text = quoteServerText(instructions, { intro, tag: 'server_notes', maxLength: MAX_INSTRUCTIONS });
  return {
    name: `${server}_instructions`,
    description: intro,
    declaration: () => undefined,
    runAsync: async () => undefined,
    async processLlmRequest({ llmRequest }) {
      appendInstruction(llmRequest, text);
    },
  };
}
