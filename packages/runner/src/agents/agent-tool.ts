import { AgentTree, getFunctionResponses, isFinalResponse, textOf, TholeError } from '@thole/core';
import {
  assertAgent,
  invalidInput,
  isPlainObject,
  optionNames,
  rejectUnknownOptions,
  resolveSchemaRoot,
  setOwn,
} from '@thole/core/kit';
import type {
  Agent,
  Event,
  FunctionDeclaration,
  FunctionResponsePart,
  JsonObject,
  ModelFactory,
  Tool,
  ToolContext,
} from '@thole/core';
import { textOfResult } from '../flow/text-of-result.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import type { LlmAgent } from './llm-agent.ts';

/** Options of `AgentTool`. */
export interface AgentToolOptions {
  /** The agent to run. It need not be in the tree of the calling agent. The tool has the agent's name and description. */
  agent: Agent;
  /** True if the agent's answer is the final answer: the calling model does not process it. Default: false. */
  skipSummarization?: boolean | undefined;
  /** True if the agent may run again when a crash left the outcome of a call unknown. Default: false. */
  idempotent?: boolean | undefined;
}

const names = optionNames<AgentToolOptions>({ agent: true, skipSummarization: true, idempotent: true });

/**
 * An agent as a tool. It runs in a separate in-memory session with a copy of the caller's state. The call is answered with
 * its final text, or with the parsed object if it has an `outputSchema`, and with the files of its final content. Its changes to state and artifacts are applied to
 * the caller's session. The constructor throws `INVALID_INPUT` for wrong options and a value that is not an agent.
 */
export class AgentTool implements Tool {
  readonly agent: Agent;
  readonly name: string;
  readonly description: string;
  readonly skipSummarization: boolean;
  readonly idempotent: boolean;

  constructor(options: AgentToolOptions) {
    rejectUnknownOptions(options, names, 'AgentTool');
    assertAgent(options.agent);
    for (const name of ['skipSummarization', 'idempotent'] as const) {
      if (options[name] !== undefined && typeof options[name] !== 'boolean')
        throw invalidInput(`${name} of tool ${options.agent.name}`, 'a boolean', options[name]);
    }
    this.agent = options.agent;
    const { type = 'object' } = this.#parameters();
    if (type !== 'object')
      throw new TholeError(
        'INVALID_INPUT',
        `inputSchema of agent ${options.agent.name} must describe an object, with one member for each argument.`,
      );
    this.name = options.agent.name;
    this.description = options.agent.description ?? '';
    this.skipSummarization = options.skipSummarization ?? false;
    this.idempotent = options.idempotent ?? false;
  }

  /** Checks this agent and its sub-agents as a runner checks its own. */
  check({ models }: { models: readonly ModelFactory[] }): void {
    const tree = new AgentTree(this.agent);
    for (const agent of tree) agent.check?.({ models, tree });
  }

  declaration(): FunctionDeclaration {
    return {
      name: this.name,
      description: this.description,
      parametersJsonSchema: { type: 'object', ...this.#parameters() },
    };
  }

  async runAsync({ args, toolContext }: { args: JsonObject; toolContext: ToolContext }): Promise<unknown> {
    const message = await this.#messageOf(args);
    let last: Event | undefined;
    for await (const event of toolContext.runChild({ agent: this.agent, message })) {
      if (event.partial) continue;
      copyChanges(event, toolContext);
      if (event.author !== 'user' && isAnswer(event)) last = event;
    }
    if (last?.errorCode) throw new Error(`${this.name} could not answer (${last.errorCode}).`);
    if (last?.longRunningToolIds?.length) {
      throw new Error(`${this.name} waits for the result of a long-running call, which an agent cannot do as a tool.`);
    }
    const text = last ? answerText(last) : '';
    const { finishReason = 'STOP' } = last ?? {};
    // The answer was cut off or blocked before its first text.
    if (text === '' && finishReason !== 'STOP') throw new Error(`${this.name} could not answer (${finishReason}).`);
    if (this.skipSummarization) toolContext.actions.skipSummarization = true;
    const result = this.#resultOf(text);
    const files = filesOf(last);
    if (files.length === 0) return result;
    return { response: isPlainObject(result) ? result : { result }, parts: files };
  }

  /** Returns the schema without `$schema`, which providers do not need and which costs tokens. */
  #parameters(): JsonObject {
    const { inputSchema } = this.#schemas();
    const { $schema: _, ...parameters } = inputSchema ? resolveSchemaRoot(inputSchema.jsonSchema) : REQUEST;
    return parameters;
  }

  #schemas(): Partial<Pick<LlmAgent, 'inputSchema' | 'outputSchema'>> {
    return isLlmAgent(this.agent) ? this.agent : {};
  }

  async #messageOf(args: JsonObject): Promise<string> {
    const { inputSchema } = this.#schemas();
    if (inputSchema) {
      const checked = await inputSchema.validate(args);
      if ('issues' in checked) throw invalidArguments(this.name, checked.issues.join('; '));
      return JSON.stringify(checked.value);
    }
    const { request } = args;
    if (typeof request !== 'string' || request === '')
      throw invalidArguments(this.name, 'request: expected a string that is not empty');
    return request;
  }

  // The agent's own result is valid JSON. An agent to which it transferred may answer with other text.
  #resultOf(text: string): unknown {
    if (!this.#schemas().outputSchema) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
}

const REQUEST: JsonObject = {
  type: 'object',
  properties: { request: { type: 'string', description: 'What the agent is asked, with all it needs to know.' } },
  required: ['request'],
};

/** The empty result of a tool that ends the turn, such as `exit_loop`, is not an answer: an earlier answer stays. */
function isAnswer(event: Event): boolean {
  if ((event.content ?? event.errorCode ?? event.finishReason) === undefined || !isFinalResponse(event)) return false;
  return getFunctionResponses(event).length === 0 || answerText(event) !== '';
}

/** Returns the text of an answer. A result of a tool with `skipSummarization` is an answer, too. */
function answerText(event: Event): string {
  return (
    textOf(event.content) ||
    getFunctionResponses(event)
      .map(({ response }) => textOfResult(response))
      .filter(Boolean)
      .join('\n')
  );
}

/** Returns the files of an answer as parts of a function response. */
function filesOf(event: Event | undefined): FunctionResponsePart[] {
  return (event?.content?.parts ?? []).flatMap(({ fileData, inlineData, thought }) => {
    if (thought || !(inlineData ?? fileData)) return [];
    return [inlineData ? { inlineData } : { fileData }];
  });
}

// Stored events contain no `temp:` keys, so they are not copied.
function copyChanges({ actions }: Event, { state, actions: own }: ToolContext): void {
  state.update(actions.stateDelta);
  for (const [name, version] of Object.entries(actions.artifactDelta)) setOwn(own.artifactDelta, name, version);
}

function invalidArguments(tool: string, issues: string): TholeError {
  return new TholeError('INVALID_INPUT', `The arguments of ${tool} are invalid: ${issues}.`, {
    details: { refused: true },
  });
}
