import { appendInstruction } from './append-instruction.ts';
import { addTool } from './add-tools.ts';
import type { RequestDraft } from './request-draft.ts';
import { makeOutputTool, SET_MODEL_RESPONSE } from './set-model-response-tool.ts';

/**
 * Requests a typed answer: by the provider's own means, or with tools by a call, because many models cannot combine
 * both.
 */
export function addOutputSchema(draft: RequestDraft): void {
  const { agent, request } = draft;
  if (!agent.outputSchema) return;
  if (!draft.tools && !request.config.tools?.length) {
    request.config.responseJsonSchema = agent.outputSchema.jsonSchema;
    request.config.responseMimeType = 'application/json';
    return;
  }
  draft.output = makeOutputTool(agent.outputSchema);
  addTool(draft, draft.output.tool, 'outputSchema');
  appendInstruction(request, `When you have your final answer, give it by calling ${SET_MODEL_RESPONSE}, not as text.`);
}
