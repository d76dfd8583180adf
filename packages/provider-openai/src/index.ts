export { OpenAi } from './openai-llm.ts';
export type { OpenAiEnvOptions, OpenAiOptions } from './openai-llm.ts';
export { OpenAiEmbedder } from './openai-embedder.ts';
export type { OpenAiEmbedderEnvOptions, OpenAiEmbedderOptions } from './openai-embedder.ts';
export { openAiModels } from './openai-models.ts';
export type { OpenAiModelsOptions } from './openai-models.ts';
export type { AzureOptions, OpenAiApi, OpenAiConnectionOptions } from './openai-options.ts';
