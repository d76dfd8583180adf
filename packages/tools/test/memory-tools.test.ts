import { memoryToolCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '../src/index.ts';

register({ describe, it }, memoryToolCases, {
  name: 'load_memory, preload_memory, remember',
  create: () => ({ loadMemory: loadMemoryTool(), preloadMemory: preloadMemoryTool(), remember: rememberTool() }),
});
