export { correctMemory, exportMemory, importMemory } from './export-memory.ts';
export type { MemoryExport } from './export-memory.ts';
export { forgetMemory } from './forget-memory.ts';
export type { ForgottenMemory } from './forget-memory.ts';
export { MemoryRetention } from './memory-retention.ts';
export type { MemoryRetentionOptions, PrunableMemory } from './memory-retention.ts';
export { RedactingMemoryService } from './redacting-memory-service.ts';
export type { RedactingMemoryServiceOptions } from './redacting-memory-service.ts';
