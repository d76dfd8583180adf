import type {
  Content,
  FunctionDeclaration,
  GenerateContentConfig,
  Llm,
  LlmRequest,
  LlmResponse,
  Part,
} from '@thole/core';
import { plays, ScriptedLlm } from '@thole/testing';
import type { LlmScenario, LlmSubject } from '@thole/testing';

/** A model that does not send or return everything, and the case that must detect it. */
export interface LlmMutant {
  /** The defect. */
  id: string;
  /** The contract that it breaks. */
  contract: number;
  /** Id of the case that must fail. */
  caughtBy: string;
  create(): LlmSubject;
}

export const llmMutants: readonly LlmMutant[] = [
  changeRequest('never looks at its request', 'llm.sends-history', () => ({ contents: [], config: {} })),
  dropSettings('drops the system instruction', 'llm.sends-instruction', ['systemInstruction']),
  changeContents('sends the newest message alone', 'llm.sends-history', (all) => all.slice(-1)),
  changeContents('drops the messages of the model', 'llm.sends-history', (all) =>
    all.filter(({ role }) => role !== 'model'),
  ),
  changeContents('sends the history backwards', 'llm.sends-history', (all) => all.toReversed()),
  dropSettings('drops the tools', 'llm.sends-tools', ['tools']),
  dropSettings('drops the tool configuration', 'llm.sends-tool-config', ['toolConfig']),
  changeDeclarations('drops the descriptions of tools', (each) => ({ ...each, description: undefined })),
  changeDeclarations('drops the parameters of tools', (each) => ({ ...each, parametersJsonSchema: undefined })),
  changeParts('drops the calls of the model', 'llm.sends-calls-and-answers', (each) => ({
    ...each,
    functionCall: undefined,
  })),
  changeParts('drops the arguments of calls', 'llm.sends-calls-and-answers', (part) =>
    part.functionCall ? { ...part, functionCall: { ...part.functionCall, args: {} } } : part,
  ),
  changeParts('drops the answers of tools', 'llm.sends-calls-and-answers', (each) => ({
    ...each,
    functionResponse: undefined,
  })),
  changeContents('swaps the answers of two calls', 'llm.sends-calls-and-answers', (all) =>
    all.map((each) => ({ ...each, parts: (each.parts ?? []).toReversed() })),
  ),
  changeParts('drops signatures', 'llm.sends-signatures', (each) => ({ ...each, thoughtSignature: undefined })),
  changeParts('decodes and encodes signatures', 'llm.sends-signatures', (part) =>
    part.thoughtSignature ? { ...part, thoughtSignature: part.thoughtSignature.replace(/=+$/, '') } : part,
  ),
  ...(['temperature', 'topP', 'maxOutputTokens'] as const).map((name) =>
    dropSettings(`drops ${name}`, 'llm.sends-settings', [name]),
  ),
  dropSettings('drops stop sequences', 'llm.sends-stop-sequences', ['stopSequences']),
  dropSettings('drops the schema of the answer', 'llm.sends-output-schema', ['responseJsonSchema']),
  changeRequest('ignores the model of the request', 'llm.sends-model', (each) => ({ ...each, model: undefined })),
  changeParts('drops images', 'llm.sends-images', (each) => ({ ...each, inlineData: undefined })),
  changeParts('drops the images in answers of tools', 'llm.sends-answer-images', (part) =>
    part.functionResponse ? { functionResponse: { ...part.functionResponse, parts: undefined } } : part,
  ),
  changeAnswer('drops the usage', 'llm.usage', (each) => ({ ...each, usageMetadata: undefined })),
  changeAnswer('leaves thoughts out of the total', 'llm.usage', (final) =>
    final.usageMetadata ? { ...final, usageMetadata: { ...final.usageMetadata, totalTokenCount: 117 } } : final,
  ),
  changeAnswer('drops the count of cached tokens', 'llm.usage-details', (final) => ({
    ...final,
    usageMetadata: { ...final.usageMetadata, cachedContentTokenCount: undefined },
  })),
];

/** Returns a subject of `llmCases`. `send` changes each request, and `answer` changes each final response. */
export function subjectWith(
  send: (request: LlmRequest) => LlmRequest,
  answer: (final: LlmResponse) => LlmResponse = (final) => final,
): LlmSubject {
  const others: ScriptedLlm[] = [];
  const llm = (scenario: LlmScenario): Llm => {
    const other = new ScriptedLlm(...Array.from({ length: 3 }, () => plays(scenario)));
    others.push(other);
    return {
      model: 'mutant',
      specVersion: 1,
      async *generateContentAsync(request, options) {
        for await (const response of other.generateContentAsync(send(request), options))
          yield response.partial ? response : answer(response);
      },
    };
  };
  return { llm, received: () => others.flatMap(({ requests }) => requests) };
}

function changeRequest(id: string, caughtBy: string, send: (request: LlmRequest) => LlmRequest): LlmMutant {
  return { id, contract: 17, caughtBy, create: () => subjectWith(send) };
}

function changeAnswer(id: string, caughtBy: string, answer: (final: LlmResponse) => LlmResponse): LlmMutant {
  return { id, contract: 17, caughtBy, create: () => subjectWith((request) => request, answer) };
}

function dropSettings(id: string, caughtBy: string, dropped: readonly (keyof GenerateContentConfig)[]): LlmMutant {
  const withoutDropped = (all: GenerateContentConfig): GenerateContentConfig =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !dropped.some((each) => each === name)));
  return changeRequest(id, caughtBy, (request) => ({ ...request, config: withoutDropped(request.config) }));
}

function changeContents(
  id: string,
  caughtBy: string,
  change: (all: readonly Content[]) => readonly Content[],
): LlmMutant {
  return changeRequest(id, caughtBy, (request) => ({ ...request, contents: change(request.contents) }));
}

function changeParts(id: string, caughtBy: string, change: (part: Part) => Part): LlmMutant {
  return changeContents(id, caughtBy, (all) => all.map((each) => ({ ...each, parts: each.parts?.map(change) })));
}

function changeDeclarations(id: string, change: (declaration: FunctionDeclaration) => FunctionDeclaration): LlmMutant {
  return changeRequest(id, 'llm.sends-tools', (request) => ({
    ...request,
    config: {
      ...request.config,
      tools: request.config.tools?.map((tool) =>
        'functionDeclarations' in tool ? { functionDeclarations: tool.functionDeclarations.map(change) } : tool,
      ),
    },
  }));
}
