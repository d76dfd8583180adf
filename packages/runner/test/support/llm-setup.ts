import { getFunctionResponses } from '@thole/core';
import type {
  Agent,
  Event,
  JsonObject,
  Llm,
  SchemaInput,
  Session,
  StandardSchema,
  Tool,
  ToolContext,
} from '@thole/core';
import { InMemoryArtifactService, InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';

export const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
export const hello = { userId: 'ann', sessionId: 's', newMessage: 'hello' };

export interface LlmTestSetup {
  runtime: FixedRuntime;
  runner: Runner;
  sessions: InMemorySessionService;
  artifacts: InMemoryArtifactService;
  stored(): Promise<Session>;
}

/** Returns a runner of this agent with in-memory services and one session. */
export async function createSetup(
  agent: Agent,
  options: Partial<RunnerOptions> = {},
  state: JsonObject = {},
): Promise<LlmTestSetup> {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const artifacts = new InMemoryArtifactService();
  await sessions.createSession({ ...ref, state });
  const all = { appName: 'app', agent, sessionService: sessions, artifactService: artifacts, runtime, ...options };
  const runner = new Runner(all as RunnerOptions);
  return { runtime, runner, sessions, artifacts, stored: async () => (await sessions.getSession(ref))! };
}

/** Returns an agent called `root` with this model. */
export function rootOf<O>(model: Llm, options: Partial<LlmAgentOptions<O>> = {}): LlmAgent<O> {
  return new LlmAgent<O>({ name: 'root', model, ...options });
}

/** Returns a tool with this function. */
export function toolOf(
  name: string,
  run: (args: JsonObject, toolContext: ToolContext) => unknown,
  more: Partial<Tool> = {},
): Tool {
  return {
    name,
    description: `Does ${name}.`,
    declaration: () => ({ name, description: `Does ${name}.`, parametersJsonSchema: { type: 'object' } }),
    runAsync: async ({ args, toolContext }) => run(args, toolContext),
    ...more,
  };
}

/** Returns a schema of objects with these string members. */
export function stringsSchema(...names: string[]): SchemaInput<{ [name: string]: string }> {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return {
    jsonSchema: { type: 'object', properties, required: names },
    schema: {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => {
          const object = value as { [name: string]: string };
          const missing = names.filter((name) => typeof object?.[name] !== 'string');
          return missing.length > 0
            ? { issues: missing.map((name) => ({ message: 'expected string', path: [name] })) }
            : { value: object };
        },
      },
    },
  };
}

/** A schema that accepts every value. */
export const passing: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

/** Returns the answers of tools in these events, with the tools’ names. */
export function answersIn(events: readonly Event[]): [string, JsonObject][] {
  return events.flatMap((event) =>
    getFunctionResponses(event).map(({ name, response }): [string, JsonObject] => [name, response]),
  );
}

export function textsIn(events: readonly Event[]): string[] {
  return events.map(
    ({ author, content, errorCode }) =>
      `${author}: ${(content?.parts ?? []).map((part) => part.text ?? Object.keys(part)[0]).join('') || (errorCode ?? '')}`,
  );
}

/** Reads a run to its end. Returns its events and its error. */
export async function outcomeOf(
  run: AsyncIterable<Event>,
): Promise<{ events: Event[]; error: { code?: string; message?: string } | undefined }> {
  const events: Event[] = [];
  try {
    for await (const event of run) events.push(event);
  } catch (error) {
    return { events, error: error as { code?: string; message?: string } };
  }
  return { events, error: undefined };
}

/** Waits for all work that does not wait for the clock. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}
