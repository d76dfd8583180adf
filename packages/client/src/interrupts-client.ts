import type { FunctionResponse, Interrupt, Json, JsonObject } from '@thole/core';
import { pick } from './pick.ts';
import { path } from './request-path.ts';
import type { AnswerRequest, InboxInterrupt, InterruptsClient } from './client.ts';
import type { RunRequest } from './client-run.ts';
import type { RequestJson } from './connection.ts';

/** Returns the methods for `…/interrupts`. */
export function interruptsClient(requestJson: RequestJson): InterruptsClient {
  const page: InterruptsClient['page'] = async (p) =>
    requestJson(path`/apps/${p.appName}/interrupts`, { call: p, query: pick(p, 'userId', 'kind', 'limit', 'after') });
  return {
    async list(p) {
      const url = path`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}/interrupts`;
      return (await requestJson<{ interrupts: Interrupt[] }>(url, { call: p })).interrupts;
    },
    page,
    async *inbox(p): AsyncGenerator<InboxInterrupt, void> {
      let after: string | undefined;
      do {
        const { interrupts, next } = await page({ ...p, after });
        yield* interrupts;
        after = next;
      } while (after !== undefined);
    },
  };
}

/** Returns the request of a run that sends answers. All answers must belong to one invocation. */
export function toAnswerRun({ answers, ...request }: AnswerRequest): RunRequest {
  const parts = answers.map(({ interrupt, value }) => ({ functionResponse: toFunctionResponse(interrupt, value) }));
  const invocationId = answers[0]?.interrupt.invocationId;
  return { ...request, invocationId, newMessage: { role: 'user', parts } };
}

function toFunctionResponse({ id, kind, toolName }: Interrupt, value: Json): FunctionResponse {
  const name = kind === 'longRunning' ? (toolName ?? '') : `adk_request_${kind}`;
  if (kind !== 'input' && isObject(value)) return { id, name, response: value };
  const isDecision = kind === 'confirmation' && typeof value === 'boolean';
  return { id, name, response: { [isDecision ? 'confirmed' : 'result']: value } };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
