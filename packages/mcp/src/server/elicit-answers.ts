import { isoTime, isPlainObject, requestNames } from '@thole/core/kit';
import type { FunctionResponse, Interrupt, JsonObject } from '@thole/core';
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams, InputRequest } from '@modelcontextprotocol/server';

/** Characters of a call's arguments that a person sees before the approval. */
const MAX_ARGUMENTS = 2_000;
/** The only types of members that forms of MCP clients can have. */
const primitives: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Returns the form that asks a person to answer. Undefined if a form cannot answer the interrupt. */
export function toElicitation(interrupt: Interrupt, note: string): InputRequest | undefined {
  const requestedSchema = formOf(interrupt);
  if (!requestedSchema) return undefined;
  return inputRequired.elicit({ message: note + messageOf(interrupt), requestedSchema });
}

/** Returns a sentence for the client that says which answer is missing. */
export function describeMissingAnswer(interrupt: Interrupt): string {
  switch (interrupt.kind) {
    case 'confirmation':
      return `the approval of the call of ${interrupt.toolName ?? 'a tool'}`;
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
 * Returns the answers of a client, for those interrupts that it answers. Everything except an accepted form with
 * `approve: true` rejects a confirmation. A form that is not accepted declines a question.
 */
export function readAnswers(
  interrupts: readonly Interrupt[],
  responses: Record<string, unknown> | undefined,
): FunctionResponse[] {
  return interrupts.flatMap((interrupt) => {
    const { id, kind } = interrupt;
    const given = inputResponse(responses, id);
    if (given.kind !== 'elicit' || (kind !== 'confirmation' && kind !== 'input')) return [];
    const content = given.action === 'accept' ? ((given.content ?? {}) as JsonObject) : undefined;
    const response =
      kind === 'confirmation' ? { confirmed: content?.['approve'] === true } : toInput(interrupt, content);
    return [{ id, name: requestNames[kind], response }];
  });
}

function toInput({ responseSchema }: Interrupt, content: JsonObject | undefined): JsonObject {
  if (content === undefined) return { error: 'The person did not answer.' };
  return isForm(responseSchema) ? content : { result: content['answer'] ?? null };
}

function messageOf({ args, kind, message, toolName }: Interrupt): string {
  if (kind !== 'confirmation') return message ?? 'The agent needs an answer.';
  const json = JSON.stringify(args ?? {});
  const shown = json.length <= MAX_ARGUMENTS ? json : `${json.slice(0, MAX_ARGUMENTS).toWellFormed()}…`;
  return `${message ? `${message}\n` : ''}Approve ${toolName ?? 'the call'} with ${shown}?`;
}

function formOf({ kind, responseSchema }: Interrupt): ElicitRequestFormParams['requestedSchema'] | undefined {
  if (kind === 'confirmation') return form({ approve: { type: 'boolean', title: 'Approve' } }, ['approve']);
  if (kind !== 'input') return undefined;
  if (isForm(responseSchema)) {
    const { properties, required } = responseSchema as { properties: JsonObject; required?: string[] };
    return form(properties, required ?? []);
  }
  if (responseSchema === undefined) return form({ answer: { type: 'string', title: 'Answer' } }, ['answer']);
  return primitives.includes(responseSchema['type']) ? form({ answer: responseSchema }, ['answer']) : undefined;
}

/** True for an object whose members are primitive values. */
function isForm(schema: JsonObject | undefined): boolean {
  if (schema?.['type'] !== 'object' || !isPlainObject(schema['properties'])) return false;
  return Object.values(schema['properties']).every((each) => isPlainObject(each) && primitives.includes(each['type']));
}

function form(properties: JsonObject, required: string[]): ElicitRequestFormParams['requestedSchema'] {
  return { type: 'object', properties, required } as ElicitRequestFormParams['requestedSchema'];
}
