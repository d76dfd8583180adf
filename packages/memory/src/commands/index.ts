export { memoryCommands } from './memory-commands.ts';
export type { CommandAnswer, MemoryCommands, MemoryCommandsOptions } from './memory-commands.ts';
