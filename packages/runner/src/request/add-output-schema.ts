import { appendInstruction } from './append-instruction.ts';
import { addTool } from './add-tools.ts';
import type { RequestDraft } from './request-draft.ts';
import { makeOutputTool, SET_MODEL_RESPONSE } from './set-model-response-tool.ts';

/** Asks for a typed answer: by the provider's own means, or by a call where tools are there, which many models cannot combine. */
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
