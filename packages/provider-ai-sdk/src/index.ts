export { AiSdkLlm } from './ai-sdk-llm.ts';
export type { AiSdkLlmOptions } from './ai-sdk-llm.ts';
export { AiSdkEmbedder } from './ai-sdk-embedder.ts';
export type { AiSdkEmbedderOptions } from './ai-sdk-embedder.ts';
export { aiSdkModels } from './ai-sdk-models.ts';
export type { AiSdkProvider } from './ai-sdk-models.ts';
export type {
  AiSdkConnectionOptions,
  AiSdkEmbeddingModel,
  AiSdkLanguageModel,
  AiSdkProviderOptions,
  AiSdkProviderTool,
  AiSdkUrls,
} from './ai-sdk-options.ts';
