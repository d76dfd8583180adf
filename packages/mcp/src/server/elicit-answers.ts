import { argumentsToApprove, callToApprove, isoTime, isPlainObject, requestNames } from '@thole/core/kit';
import type { FunctionResponse, Interrupt, JsonObject } from '@thole/core';
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams, InputRequest } from '@modelcontextprotocol/server';

/** Maximum number of characters of a call's arguments in a request for approval. */
const MAX_ARGUMENTS = 2_000;
/** Types that a field of an MCP form may have. */
const fieldTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Returns the form in which a person answers. Undefined if a form cannot answer the interrupt. */
export function toElicitation(interrupt: Interrupt, note: string): InputRequest | undefined {
  const requestedSchema = formOf(interrupt);
  if (!requestedSchema) return undefined;
  return inputRequired.elicit({ message: note + messageOf(interrupt), requestedSchema });
}

/** Returns a noun phrase for the client that names the missing answer. */
export function describeMissingAnswer(interrupt: Interrupt): string {
  switch (interrupt.kind) {
    case 'confirmation':
      return `the approval of the call of ${callToApprove(interrupt).toolName ?? 'a tool'}`;
    case 'input':
      return 'an answer to a question';
    case 'credential':
      return 'a sign-in of the user';
    case 'longRunning':
      return `the result of ${interrupt.toolName ?? 'a tool'}`;
    case 'timer':
      return `the time ${isoTime(interrupt.expiresAt ?? 0)}`;
  }
}

/**
 * Returns the client's answers to these interrupts. Only an accepted form with `approve: true` approves a confirmation. A
 * form that is not accepted declines a question.
 */
export function readAnswers(
  interrupts: readonly Interrupt[],
  responses: Record<string, unknown> | undefined,
): FunctionResponse[] {
  return interrupts.flatMap((interrupt) => {
    const { id, kind } = interrupt;
    const reply = inputResponse(responses, id);
    if (reply.kind !== 'elicit' || (kind !== 'confirmation' && kind !== 'input')) return [];
    const content = reply.action === 'accept' ? ((reply.content ?? {}) as JsonObject) : undefined;
    const response =
      kind === 'confirmation' ? { confirmed: content?.['approve'] === true } : toInput(interrupt, content);
    return [{ id, name: requestNames[kind], response }];
  });
}

function toInput({ responseSchema }: Interrupt, content: JsonObject | undefined): JsonObject {
  if (content === undefined) return { error: 'The person did not answer.' };
  return isForm(responseSchema) ? content : { result: content['answer'] ?? null };
}

function messageOf(interrupt: Interrupt): string {
  const { kind, message } = interrupt;
  if (kind !== 'confirmation') return message ?? 'The agent needs an answer.';
  const { args, toolName } = callToApprove(interrupt);
  const argsText = argumentsToApprove(args, MAX_ARGUMENTS);
  return `${message ? `${message}\n` : ''}Approve ${toolName ?? 'the call'} with ${argsText}?`;
}

function formOf({ kind, responseSchema }: Interrupt): ElicitRequestFormParams['requestedSchema'] | undefined {
  if (kind === 'confirmation') return createForm({ approve: { type: 'boolean', title: 'Approve' } }, ['approve']);
  if (kind !== 'input') return undefined;
  if (isForm(responseSchema)) {
    const { properties, required } = responseSchema as { properties: JsonObject; required?: string[] };
    return createForm(properties, required ?? []);
  }
  if (responseSchema === undefined) return createForm({ answer: { type: 'string', title: 'Answer' } }, ['answer']);
  return fieldTypes.includes(responseSchema['type']) ? createForm({ answer: responseSchema }, ['answer']) : undefined;
}

/** True for the schema of an object whose members are primitive values. */
function isForm(schema: JsonObject | undefined): boolean {
  if (schema?.['type'] !== 'object' || !isPlainObject(schema['properties'])) return false;
  return Object.values(schema['properties']).every((each) => isPlainObject(each) && fieldTypes.includes(each['type']));
}

function createForm(properties: JsonObject, required: string[]): ElicitRequestFormParams['requestedSchema'] {
  return { type: 'object', properties, required } as ElicitRequestFormParams['requestedSchema'];
}
