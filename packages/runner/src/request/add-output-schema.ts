import { appendInstruction, resolveSchemaRoot } from '@thole/core/kit';
import { addTool } from './add-tools.ts';
import type { RequestDraft } from './request-draft.ts';
import { createOutputTool, SET_MODEL_RESPONSE } from './set-model-response-tool.ts';

/**
 * Requests a typed answer: with `responseJsonSchema`, or with a call of `set_model_response` if the agent has tools, because
 * many models cannot combine tools and `responseJsonSchema`.
 */
export function addOutputSchema(draft: RequestDraft): void {
  const { agent, request } = draft;
  if (!agent.outputSchema) return;
  if (!draft.tools && !request.config.tools?.length) {
    request.config.responseJsonSchema = resolveSchemaRoot(agent.outputSchema.jsonSchema);
    request.config.responseMimeType = 'application/json';
    return;
  }
  draft.output = createOutputTool(agent.outputSchema);
  addTool(draft, draft.output.tool, 'outputSchema');
  appendInstruction(request, `When you have your final answer, give it by calling ${SET_MODEL_RESPONSE}, not as text.`);
}
