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

/** A model that loses something on its way to the provider, and the case that has to notice it. */
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
  sending('never looks at its request', 'llm.sends-history', () => ({ contents: [], config: {} })),
  config('drops the system instruction', 'llm.sends-instruction', ['systemInstruction']),
  contents('sends the newest message alone', 'llm.sends-history', (all) => all.slice(-1)),
  contents('drops the messages of the model', 'llm.sends-history', (all) => all.filter(({ role }) => role !== 'model')),
  contents('sends the history backwards', 'llm.sends-history', (all) => all.toReversed()),
  config('drops the tools', 'llm.sends-tools', ['tools']),
  config('drops the tool configuration', 'llm.sends-tool-config', ['toolConfig']),
  declarations('drops the descriptions of tools', (each) => ({ ...each, description: undefined })),
  declarations('drops the parameters of tools', (each) => ({ ...each, parametersJsonSchema: undefined })),
  parts('drops the calls of the model', 'llm.sends-calls-and-answers', (each) => ({
    ...each,
    functionCall: undefined,
  })),
  parts('drops the arguments of calls', 'llm.sends-calls-and-answers', (part) =>
    part.functionCall ? { ...part, functionCall: { ...part.functionCall, args: {} } } : part,
  ),
  parts('drops the answers of tools', 'llm.sends-calls-and-answers', (each) => ({
    ...each,
    functionResponse: undefined,
  })),
  contents('swaps the answers of two calls', 'llm.sends-calls-and-answers', (all) =>
    all.map((each) => ({ ...each, parts: (each.parts ?? []).toReversed() })),
  ),
  parts('drops signatures', 'llm.sends-signatures', (each) => ({ ...each, thoughtSignature: undefined })),
  parts('decodes and encodes signatures', 'llm.sends-signatures', (part) =>
    part.thoughtSignature ? { ...part, thoughtSignature: part.thoughtSignature.replace(/=+$/, '') } : part,
  ),
  ...(['temperature', 'topP', 'maxOutputTokens'] as const).map((name) =>
    config(`drops ${name}`, 'llm.sends-settings', [name]),
  ),
  config('drops stop sequences', 'llm.sends-stop-sequences', ['stopSequences']),
  config('drops the schema of the answer', 'llm.sends-output-schema', ['responseJsonSchema']),
  sending('calls its own model, whichever is asked for', 'llm.sends-model', (each) => ({ ...each, model: undefined })),
  parts('drops images', 'llm.sends-images', (each) => ({ ...each, inlineData: undefined })),
  parts('drops the images in answers of tools', 'llm.sends-answer-images', (part) =>
    part.functionResponse ? { functionResponse: { ...part.functionResponse, parts: undefined } } : part,
  ),
  answering('drops the usage', 'llm.usage', (each) => ({ ...each, usageMetadata: undefined })),
  answering('leaves thoughts out of the total', 'llm.usage', (final) =>
    final.usageMetadata ? { ...final, usageMetadata: { ...final.usageMetadata, totalTokenCount: 117 } } : final,
  ),
  answering('drops the count of cached tokens', 'llm.usage-details', (final) => ({
    ...final,
    usageMetadata: { ...final.usageMetadata, cachedContentTokenCount: undefined },
  })),
];

/** A model that passes on what `send` makes of its request, to a side that keeps it. */
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

function sending(id: string, caughtBy: string, send: (request: LlmRequest) => LlmRequest): LlmMutant {
  return { id, contract: 17, caughtBy, create: () => subjectWith(send) };
}

function answering(id: string, caughtBy: string, answer: (final: LlmResponse) => LlmResponse): LlmMutant {
  return { id, contract: 17, caughtBy, create: () => subjectWith((request) => request, answer) };
}

function config(id: string, caughtBy: string, dropped: readonly (keyof GenerateContentConfig)[]): LlmMutant {
  const left = (all: GenerateContentConfig): GenerateContentConfig =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !dropped.some((each) => each === name)));
  return sending(id, caughtBy, (request) => ({ ...request, config: left(request.config) }));
}

function contents(id: string, caughtBy: string, change: (all: readonly Content[]) => readonly Content[]): LlmMutant {
  return sending(id, caughtBy, (request) => ({ ...request, contents: change(request.contents) }));
}

function parts(id: string, caughtBy: string, change: (part: Part) => Part): LlmMutant {
  return contents(id, caughtBy, (all) => all.map((each) => ({ ...each, parts: each.parts?.map(change) })));
}

function declarations(id: string, change: (declaration: FunctionDeclaration) => FunctionDeclaration): LlmMutant {
  return sending(id, 'llm.sends-tools', (request) => ({
    ...request,
    config: {
      ...request.config,
      tools: request.config.tools?.map((tool) =>
        'functionDeclarations' in tool ? { functionDeclarations: tool.functionDeclarations.map(change) } : tool,
      ),
    },
  }));
}
