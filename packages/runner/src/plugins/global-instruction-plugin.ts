import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Plugin } from '@thole/core';
import type { HookParams } from '../hooks/call-hooks.ts';
import type { Instruction } from '../agents/llm-agent-options.ts';
import { readInstruction } from '../request/read-instruction.ts';

/** Options of `GlobalInstructionPlugin`. The default of `name`, which errors contain, is `global_instruction`. */
export interface GlobalInstructionPluginOptions {
  /** Text with `{key}`, or a function, like an agent's own instruction. */
  globalInstruction: Instruction;
  name?: string | undefined;
}

const names = optionNames<GlobalInstructionPluginOptions>({ globalInstruction: true, name: true });

/** Adds one instruction before the instructions of every agent of the app. */
export class GlobalInstructionPlugin implements Plugin {
  readonly name: string;
  readonly #instruction: Instruction;

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: GlobalInstructionPluginOptions) {
    rejectUnknownOptions(options, names, 'GlobalInstructionPlugin');
    const { globalInstruction } = options;
    if (typeof globalInstruction !== 'string' && typeof globalInstruction !== 'function') {
      throw invalidInput('globalInstruction', 'a string or a function', globalInstruction);
    }
    this.name = options.name ?? 'global_instruction';
    this.#instruction = globalInstruction;
  }

  async beforeModelCallback({ callbackContext, llmRequest }: HookParams<'beforeModelCallback'>): Promise<undefined> {
    const text = await readInstruction(this.#instruction, callbackContext, `globalInstruction of plugin ${this.name}`);
    const { systemInstruction } = llmRequest.config;
    if (text) llmRequest.config.systemInstruction = systemInstruction ? `${text}\n\n${systemInstruction}` : text;
    return undefined;
  }
}
