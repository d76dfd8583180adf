import type { JsonObject } from '@thole/core';
import type { UiChunk } from './ui-chunk.ts';

/** Returns the message parts that the AI SDK creates from these chunks. All parts are complete. */
export function foldChunks(chunks: readonly UiChunk[]): JsonObject[] {
  const parts: JsonObject[] = [];
  const texts = new Map<string, JsonObject & { text: string }>();
  const stepStart = (): number => parts.findLastIndex(({ type }) => type === 'step-start') + 1;
  const inStep = (toolCallId: string): JsonObject | undefined =>
    parts.slice(stepStart()).find((part) => part['toolCallId'] === toolCallId);
  const toolPart = (toolCallId: string): JsonObject | undefined =>
    inStep(toolCallId) ?? parts.findLast((part) => part['toolCallId'] === toolCallId);
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        parts.push({ type: 'step-start' });
        break;
      case 'reset-step':
        parts.length = stepStart();
        break;
      case 'text-start':
      case 'reasoning-start': {
        const type = chunk.type === 'text-start' ? 'text' : 'reasoning';
        const part = { type, ...(type === 'reasoning' && { id: chunk.id }), text: '', state: 'done' };
        texts.set(chunk.id, part);
        parts.push(part);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
        texts.get(chunk.id)!.text += chunk.delta;
        break;
      case 'tool-input-available':
      case 'tool-input-error': {
        const { toolCallId, toolName, input } = chunk;
        let part = inStep(toolCallId);
        if (!part) parts.push((part = { type: 'dynamic-tool', toolCallId }));
        replaceOutput(part, { toolName, input, state: 'input-available' });
        if (chunk.type === 'tool-input-error')
          Object.assign(part, { state: 'output-error', errorText: chunk.errorText });
        else if (chunk.providerExecuted) part['providerExecuted'] = true;
        break;
      }
      case 'tool-approval-request':
        Object.assign(toolPart(chunk.toolCallId) ?? {}, {
          state: 'approval-requested',
          approval: { id: chunk.approvalId },
        });
        break;
      case 'tool-approval-response': {
        const { approvalId: id, approved } = chunk;
        const part = parts.findLast(({ approval }) => (approval as JsonObject | undefined)?.['id'] === id);
        Object.assign(part ?? {}, { state: 'approval-responded', approval: { id, approved } });
        break;
      }
      case 'tool-output-available': {
        const { output, preliminary, toolCallId } = chunk;
        const members = { state: 'output-available', output, ...(preliminary && { preliminary }) };
        replaceOutput(toolPart(toolCallId), members);
        break;
      }
      case 'tool-output-error':
        replaceOutput(toolPart(chunk.toolCallId), { state: 'output-error', errorText: chunk.errorText });
        break;
      case 'tool-output-denied':
        Object.assign(toolPart(chunk.toolCallId) ?? {}, { state: 'output-denied' });
        break;
      case 'data-interrupt': {
        const { type, id, data } = chunk;
        const known = parts.find((part) => part['type'] === type && part['id'] === id);
        if (known) known['data'] = { ...data } as unknown as JsonObject;
        else parts.push({ type, id, data: { ...data } as unknown as JsonObject });
        break;
      }
      case 'data-artifact':
      case 'source-url':
      case 'source-document':
      case 'file':
        parts.push({ ...chunk });
        break;
      default:
    }
  }
  return parts;
}

/** Sets members of a tool's part, without its earlier output. Does nothing without a part. */
function replaceOutput(part: JsonObject | undefined, members: JsonObject): void {
  if (!part) return;
  for (const name of ['output', 'errorText', 'preliminary']) delete part[name];
  Object.assign(part, members);
}
