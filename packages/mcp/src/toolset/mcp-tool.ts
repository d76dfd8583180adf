import type { Tool as McpToolDefinition, ToolAnnotations } from '@modelcontextprotocol/client';
import type {
  FunctionDeclaration,
  JsonObject,
  MaybePromise,
  RequireConfirmation,
  Tool,
  ToolContext,
} from '@thole/core';
import type { ToolCalls } from './calls/tool-calls.ts';
import { toDeclaration } from './declarations/to-declaration.ts';
import { toToolName } from './declarations/tool-names.ts';

/** Decides whether a call of a server's tool needs a confirmation. */
export type McpRequireConfirmation =
  | boolean
  | ((args: JsonObject, toolContext: ToolContext, tool: McpTool) => MaybePromise<boolean>);

/** A tool of an MCP server. */
export class McpTool implements Tool {
  /** Name for the model, with the prefix. */
  readonly name: string;
  /** Name at the server. */
  readonly mcpName: string;
  /** Properties of the tool that the server claims, such as `readOnlyHint`. Trust them only as far as you trust the server. */
  readonly annotations: Readonly<ToolAnnotations>;
  readonly requireConfirmation?: RequireConfirmation | undefined;
  readonly #definition: McpToolDefinition;
  readonly #server: string;
  readonly #calls: ToolCalls;
  #declaration: FunctionDeclaration | undefined;

  constructor(
    definition: McpToolDefinition,
    p: {
      server: string;
      prefix: string | undefined;
      requireConfirmation: McpRequireConfirmation | undefined;
      calls: ToolCalls;
    },
  ) {
    this.name = toToolName(definition.name, p.prefix);
    this.mcpName = definition.name;
    this.annotations = definition.annotations ?? {};
    this.#definition = definition;
    this.#server = p.server;
    this.#calls = p.calls;
    const decide = p.requireConfirmation;
    this.requireConfirmation =
      typeof decide === 'function' ? (args, toolContext) => decide(args, toolContext, this) : decide;
  }

  /** The server's description, quoted. */
  get description(): string {
    return this.declaration().description!;
  }

  declaration(): FunctionDeclaration {
    this.#declaration ??= toDeclaration(this.#definition, { name: this.name, server: this.#server });
    return { ...this.#declaration };
  }

  async runAsync({ args, toolContext }: { args: JsonObject; toolContext: ToolContext }): Promise<unknown> {
    const { name, mcpName } = this;
    return this.#calls.run({ name, mcpName, args, toolContext });
  }
}
