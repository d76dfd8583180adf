export { OpenAi } from './openai-llm.ts';
export type { OpenAiOptions } from './openai-llm.ts';
export { OpenAiEmbedder } from './openai-embedder.ts';
export { openAiModels } from './openai-models.ts';
