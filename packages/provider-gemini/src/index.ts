export { Gemini } from './gemini-llm.ts';
export type { GeminiOptions } from './gemini-llm.ts';
export type { GeminiConnectionOptions } from './gemini-options.ts';
export { GeminiEmbedder } from './gemini-embedder.ts';
export type { GeminiEmbedderOptions } from './gemini-embedder.ts';
export { geminiModels } from './gemini-models.ts';
