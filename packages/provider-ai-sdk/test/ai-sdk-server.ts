import { createAnthropic } from '@ai-sdk/anthropic';
import { createAnthropic as createAnthropicV3 } from '@ai-sdk/anthropic-v3';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import { startGeminiServer } from '../../provider-gemini/test/gemini-server.ts';
import { startChatServer } from '../../provider-openai/test/chat-server.ts';
import { startResponsesServer } from '../../provider-openai/test/responses-server.ts';
import type { AiSdkLanguageModel } from '../src/index.ts';
import { startAnthropicServer } from './anthropic-server.ts';

/** A provider of the AI SDK, and a server with its API that plays scenarios. */
export interface AiSdkSubject {
  /** Starts the server. */
  start(scenario: LlmScenario): Promise<ProtocolServer>;
  /** Returns a model that calls the server at this address. */
  model(url: string, scenario: LlmScenario): (name?: string) => AiSdkLanguageModel;
}

type SubjectName = 'anthropic' | 'anthropic-v3' | 'google' | 'chat' | 'responses' | 'compatible';

/** The tested providers, which are real packages of the AI SDK. */
export const aiSdkSubjects: { readonly [name in SubjectName]: AiSdkSubject } = {
  anthropic: {
    start: startAnthropicServer,
    model: (url) => {
      const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'sk-local' });
      return (name = 'claude-sonnet-4-5') => anthropic(name);
    },
  },
  // Models of the specification v3, from AI SDK 6.
  'anthropic-v3': {
    start: startAnthropicServer,
    model: (url) => {
      const anthropic = createAnthropicV3({ baseURL: `${url}/v1`, apiKey: 'sk-local' });
      return (name = 'claude-sonnet-4-5') => anthropic(name);
    },
  },
  google: {
    start: startGeminiServer,
    // The server reads the scenario from the name of the model.
    model: (url, scenario) => {
      const google = createGoogle({ baseURL: `${url}/v1beta`, apiKey: 'sk-local' });
      return (name = `gemini-${scenario.name}`) => google(name);
    },
  },
  chat: {
    start: startChatServer,
    model: (url) => {
      const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-local' });
      return (name = 'gpt-4.1-mini') => openai.chat(name);
    },
  },
  responses: {
    start: startResponsesServer,
    model: (url, scenario) => {
      const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-local' });
      // A thinking model does not accept a temperature.
      return (name = scenario.thoughts ? 'gpt-5-mini' : 'gpt-4.1-mini') => openai.responses(name);
    },
  },
  compatible: {
    start: startChatServer,
    model: (url) => {
      const local = createOpenAICompatible({
        name: 'local',
        baseURL: `${url}/v1`,
        includeUsage: true,
        supportsStructuredOutputs: true,
      });
      return (name = 'llama-4') => local(name);
    },
  },
};
