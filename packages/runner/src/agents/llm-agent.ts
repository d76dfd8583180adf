import type {
  Agent,
  AgentTree,
  Event,
  GenerateContentConfig,
  InvocationContext,
  JsonObject,
  Llm,
  ModelFactory,
  Tool,
  Toolset,
} from '@thole/core';
import type { OneOrMany, ReadSchema } from '@thole/core/kit';
import { readSchemaInput } from '@thole/tools';
import { runTurn } from '../flow/run-step.ts';
import { saveOutput } from '../flow/save-output.ts';
import { llmAgentBrand } from '../request/is-llm-agent.ts';
import { BaseAgent } from './base-agent.ts';
import { assertModel } from './assert-model.ts';
import { assertLlmAgentOptions, LLM_AGENT_OPTIONS } from './assert-llm-agent-options.ts';
import type {
  AfterModelCallback,
  AfterToolCallback,
  BeforeModelCallback,
  BeforeToolCallback,
  Instruction,
  LlmAgentOptions,
  OnModelErrorCallback,
  OnToolErrorCallback,
} from './llm-agent-options.ts';

/**
 * An agent that uses a model: it answers, calls tools, and transfers to other agents. It stores no data of a run. The
 * constructor throws `INVALID_INPUT` with the name of an unknown or invalid option, `DUPLICATE_NAME` for two tools
 * or agents with one name, and `SCHEMA_UNSUPPORTED` for a schema that cannot be sent to a model.
 */
export class LlmAgent<Output = unknown> extends BaseAgent {
  readonly model: Llm | string | undefined;
  readonly instruction: Instruction | undefined;
  readonly globalInstruction: Instruction | undefined;
  readonly staticInstruction: string | undefined;
  readonly tools: readonly (Tool | Toolset)[];
  readonly outputKey: string | undefined;
  readonly outputSchema: ReadSchema<Output> | undefined;
  readonly inputSchema: ReadSchema | undefined;
  readonly includeContents: 'default' | 'none';
  readonly disallowTransferToParent: boolean;
  readonly disallowTransferToPeers: boolean;
  readonly generateContentConfig: GenerateContentConfig | undefined;
  readonly providerOptions: { [provider: string]: JsonObject } | undefined;
  readonly beforeModelCallback: OneOrMany<BeforeModelCallback> | undefined;
  readonly afterModelCallback: OneOrMany<AfterModelCallback> | undefined;
  readonly onModelErrorCallback: OneOrMany<OnModelErrorCallback> | undefined;
  readonly beforeToolCallback: OneOrMany<BeforeToolCallback> | undefined;
  readonly afterToolCallback: OneOrMany<AfterToolCallback> | undefined;
  readonly onToolErrorCallback: OneOrMany<OnToolErrorCallback> | undefined;

  constructor(options: LlmAgentOptions<Output>) {
    super(options, LLM_AGENT_OPTIONS);
    Object.defineProperty(this, llmAgentBrand, { value: true });
    const { generateContentConfig, providerOptions } = assertLlmAgentOptions(options);
    this.model = options.model;
    this.instruction = options.instruction;
    this.globalInstruction = options.globalInstruction;
    this.staticInstruction = options.staticInstruction;
    this.tools = Object.freeze([...(options.tools ?? [])]);
    this.outputKey = options.outputKey;
    this.outputSchema =
      options.outputSchema && readSchemaInput<Output>(options.outputSchema, `Agent ${this.name}: outputSchema`);
    this.inputSchema = options.inputSchema && readSchemaInput(options.inputSchema, `Agent ${this.name}: inputSchema`);
    this.includeContents = options.includeContents ?? 'default';
    this.disallowTransferToParent = options.disallowTransferToParent ?? false;
    this.disallowTransferToPeers = options.disallowTransferToPeers ?? false;
    this.generateContentConfig = generateContentConfig;
    this.providerOptions = providerOptions;
    this.beforeModelCallback = options.beforeModelCallback;
    this.afterModelCallback = options.afterModelCallback;
    this.onModelErrorCallback = options.onModelErrorCallback;
    this.beforeToolCallback = options.beforeToolCallback;
    this.afterToolCallback = options.afterToolCallback;
    this.onToolErrorCallback = options.onToolErrorCallback;
  }

  /** True if a later message may go directly to this agent, because it can transfer back to its parent. */
  get resumable(): boolean {
    return !this.disallowTransferToParent;
  }

  /**
   * Throws `INVALID_INPUT` if there is no model and `MODEL_UNKNOWN` if no factory supports its name. Also checks
   * agents in tools.
   */
  check(p: { models: readonly ModelFactory[]; tree: AgentTree }): void {
    assertModel(this, p);
    for (const tool of this.tools) (tool as Pick<Agent, 'check'>).check?.(p);
  }

  beforeStore(event: Event): void {
    saveOutput(this, event);
  }

  runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
    return runTurn(this, context);
  }
}
