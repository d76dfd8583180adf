import { AgentTree, TholeError } from '@thole/core';
import { didYouMean, invalidInput, resolveSchemaRoot } from '@thole/core/kit';
import type { ReadSchema } from '@thole/core/kit';
import type { Agent, App, JsonObject, Runtime } from '@thole/core';
import { Runner } from '@thole/runner';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { AgentServerOptions } from './agent-server-options.ts';

/** An agent that is served as a tool. */
export interface ServedAgent {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: StandardSchemaWithJSON;
  /** True if the answer of the agent is JSON. */
  readonly hasOutputSchema: boolean;
  /** Schema of the result. Undefined if the values of the agent's `outputSchema` cannot be described, because it transforms them. */
  readonly outputSchema: StandardSchemaWithJSON | undefined;
  /** Runs this agent as the root. */
  readonly runner: Runner;
  /** True if the texts of the author are checked before they are stored. Partial texts must then not be sent. */
  isChecked(author: string): boolean;
  /** Returns the message for valid arguments. */
  toMessage(args: unknown): string;
}

/** The agents of a server, and the runners that it must close. */
export interface ServedAgents {
  readonly appName: string;
  readonly agents: readonly ServedAgent[];
  readonly ownRunners: readonly Runner[];
}

/** Names that MCP allows for tools. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** An `AgentTool` has the same arguments. */
const REQUEST_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    request: { type: 'string', minLength: 1, description: 'What the agent is asked, with all it needs to know.' },
  },
  required: ['request'],
};

/**
 * Returns the agents that the options name. Throws `INVALID_INPUT` for an unknown agent and for a name that MCP does not allow,
 * and for an App without `sessionService` or a Runner with services. Throws `SCHEMA_UNSUPPORTED` for another input than an object.
 */
export function createServedAgents(app: App | Runner, options: AgentServerOptions, runtime: Runtime): ServedAgents {
  if (typeof app !== 'object' || app === null) throw invalidInput('app', 'an App or a Runner', app);
  if (isRunner(app)) return { appName: app.appName, agents: createFromRunner(app, options), ownRunners: [] };
  const { sessionService, memoryService, artifactService, authenticator } = options;
  if (sessionService === undefined) throw invalidInput('sessionService', 'a service for the App', undefined);
  const services = { sessionService, memoryService, artifactService, authenticator };
  const tree = new AgentTree(app.rootAgent);
  const rootAgents = options.agents.map((name) => findAgent(tree, name));
  const agents = rootAgents.map((rootAgent) =>
    toServedAgent(rootAgent, new Runner({ app: { ...app, rootAgent }, ...services, runtime })),
  );
  return { appName: app.name, agents, ownRunners: agents.map(({ runner }) => runner) };
}

function createFromRunner(runner: Runner, options: AgentServerOptions): ServedAgent[] {
  for (const name of ['sessionService', 'memoryService', 'artifactService', 'authenticator'] as const) {
    if (options[name] !== undefined)
      throw new TholeError('INVALID_INPUT', `A Runner has its own services: leave out ${name}, or pass the App.`);
  }
  const { agent } = runner;
  const other = options.agents.find((name) => name !== agent.name);
  if (other !== undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `A Runner serves its root agent ${agent.name} only, not ${other}. Pass the App to serve other agents.`,
    );
  return [toServedAgent(agent, runner)];
}

function findAgent(tree: AgentTree, name: string): Agent {
  const agent = tree.find(name);
  if (agent) return agent;
  const known = [...tree].map((each) => each.name);
  throw new TholeError('INVALID_INPUT', `agents: the app has no agent ${name}.${didYouMean(name, known)}`);
}

function toServedAgent(agent: Agent, runner: Runner): ServedAgent {
  if (!TOOL_NAME.test(agent.name))
    throw new TholeError(
      'INVALID_INPUT',
      `Agent ${agent.name} cannot be served: MCP allows at most 128 ASCII letters, digits, "_" and "-" in the name of a tool.`,
    );
  const tree = new AgentTree(agent);
  const { inputSchema, outputSchema } = schemasOf(agent);
  const { type: inputType = 'object' } = inputSchema ? resolveSchemaRoot(inputSchema.jsonSchema) : {};
  if (inputType !== 'object')
    throw new TholeError(
      'SCHEMA_UNSUPPORTED',
      `Agent ${agent.name} cannot be served: its inputSchema must describe an object.`,
    );
  return {
    name: agent.name,
    description: agent.description,
    inputSchema: toStandardSchema(inputSchema ?? requestSchema),
    hasOutputSchema: outputSchema !== undefined,
    outputSchema: outputSchema?.outputJsonSchema && toCheckedSchema(outputSchema.outputJsonSchema),
    runner,
    isChecked: (author) => schemasOf(tree.find(author)).outputSchema !== undefined,
    toMessage: (args) => (inputSchema ? JSON.stringify(args) : (args as { request: string }).request),
  };
}

// The members are read without a class check, because the agent may come from another copy of its package.
function schemasOf(agent: Agent | undefined): { inputSchema?: ReadSchema; outputSchema?: ReadSchema } {
  return (agent ?? {}) as { inputSchema?: ReadSchema; outputSchema?: ReadSchema };
}

function isRunner(app: App | Runner): app is Runner {
  return typeof (app as Runner).runAsync === 'function';
}

const requestSchema: Pick<ReadSchema, 'jsonSchema' | 'validate'> = {
  jsonSchema: REQUEST_SCHEMA,
  async validate(value) {
    const request: unknown = (value as { request?: unknown } | undefined)?.request;
    if (typeof request === 'string' && request !== '') return { value: { request } };
    return { issues: ['request must be a string that is not empty'] };
  },
};

/** The run has validated and transformed the value. */
function toCheckedSchema(jsonSchema: JsonObject): StandardSchemaWithJSON {
  return toStandardSchema({ jsonSchema, validate: async (value) => ({ value }) });
}

function toStandardSchema(schema: Pick<ReadSchema, 'jsonSchema' | 'validate'>): StandardSchemaWithJSON {
  const toJson = (): Record<string, unknown> => structuredClone(resolveSchemaRoot(schema.jsonSchema));
  return {
    '~standard': {
      version: 1,
      vendor: 'thole',
      async validate(value: unknown) {
        const result = await schema.validate(value);
        return 'issues' in result ? { issues: result.issues.map((message) => ({ message })) } : { value: result.value };
      },
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}
