export { EXTRACTION_INSTRUCTIONS } from './extraction-instructions.ts';
export type { FactExtractor, FactOperation, FactRequest, FactTurn, KnownFact } from './fact-extractor.ts';
export { FactMemoryService } from './fact-memory-service.ts';
export type { FactMemoryServiceOptions } from './fact-memory-options.ts';
export type { FactReport } from './extract-facts.ts';
export { LlmFactExtractor } from './llm-fact-extractor.ts';
export type { LlmFactExtractorOptions } from './llm-fact-extractor.ts';
