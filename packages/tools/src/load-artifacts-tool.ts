import { TholeError } from '@thole/core';
import { appendInstruction, errorCodeOf, isPlainObject } from '@thole/core/kit';
import type { Content, Part, Tool, ToolContext } from '@thole/core';
import { answerIfNotConfigured } from './answer-if-not-configured.ts';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';

const NAME = 'load_artifacts';
const USER = 'user:';
/** Maximum number of names in the system text. The text contains only the count of the other names. */
const MAX_NAMES = 100;

/**
 * Returns the tool `load_artifacts`. The system text lists the artifacts of the session and the user. The model calls
 * the tool with the names of the artifacts that it needs. Only the next request contains them, after the answers; the
 * session does not store them again. A name without `user:` also finds a file of the user. The answer is
 * `{artifact_names}`, or without an artifact service `{error, code}` with `ARTIFACT_NOT_CONFIGURED`. For a missing or
 * unreadable artifact, the request contains a note.
 */
export function loadArtifactsTool(): Tool {
  const functionTool = new FunctionTool({
    name: NAME,
    description: 'Shows you files of this conversation. Call it with the names of those whose content you need.',
    parameters: jsonSchema<{ artifact_names: string[] }>({
      type: 'object',
      properties: { artifact_names: { type: 'array', items: { type: 'string' }, minItems: 1 } },
      required: ['artifact_names'],
    }),
    idempotent: true,
    execute: ({ artifact_names }, toolContext) =>
      answerIfNotConfigured(
        { tool: NAME, code: 'ARTIFACT_NOT_CONFIGURED', error: NO_ARTIFACTS, toolContext },
        async () => {
          await toolContext.listArtifacts();
          return { artifact_names };
        },
      ),
  });
  return {
    name: functionTool.name,
    description: functionTool.description,
    idempotent: true,
    declaration: () => functionTool.declaration(),
    runAsync: (p) => functionTool.runAsync(p),
    async processLlmRequest({ toolContext, llmRequest }) {
      const names = await listNames(toolContext);
      if (names.length === 0) return;
      appendInstruction(llmRequest, instructionFor(names));
      const requested = requestedNames(llmRequest.contents.at(-1));
      if (requested.length === 0) return;
      const files = await Promise.all(requested.map((name) => loadFile(name, toolContext)));
      llmRequest.contents = [...llmRequest.contents, ...files];
    },
  };
}

/** `loadArtifactsTool()` under ADK's name. */
export const LOAD_ARTIFACTS: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ loadArtifactsTool());

const NO_ARTIFACTS = 'Artifacts are not configured here: no file can be loaded. Go on without them.';

async function listNames(toolContext: ToolContext): Promise<string[]> {
  try {
    return await toolContext.listArtifacts();
  } catch (error) {
    // Without a service there are no names. Only a call of the tool returns the error.
    if (TholeError.is(error, 'ARTIFACT_NOT_CONFIGURED')) return [];
    throw error;
  }
}

function instructionFor(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const list = names
    .slice(0, MAX_NAMES)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return `These files belong to the conversation: ${list}${more > 0 ? ` and ${more} more` : ''}. You have not seen their content; call ${NAME} when you need it.`;
}

/** Returns the names in this tool's answers if the last content of the request contains answers. */
function requestedNames(content: Content | undefined): string[] {
  const names = (content?.parts ?? []).flatMap(({ functionResponse }) => {
    const answer: unknown = functionResponse?.name === NAME ? functionResponse.response : undefined;
    const listed = isPlainObject(answer) ? answer['artifact_names'] : undefined;
    return Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : [];
  });
  return [...new Set(names)];
}

async function loadFile(name: string, toolContext: ToolContext): Promise<Content> {
  const contentOf = (text: string, ...parts: Part[]): Content => ({ role: 'user', parts: [{ text }, ...parts] });
  const file = `File ${JSON.stringify(name)}`;
  try {
    const part = (await toolContext.loadArtifact(name)) ?? (await loadUserFile(name, toolContext));
    return part ? contentOf(`${file}:`, part) : contentOf(`${file} does not exist.`);
  } catch (error) {
    if (toolContext.signal.aborted) throw error;
    const { agentName, sessionId, runtime } = toolContext;
    const fields = { tool: NAME, code: errorCodeOf(error), agentName, sessionId };
    runtime.logger.warn('load_artifacts could not load a file', fields);
    return contentOf(`${file} could not be read.`);
  }
}

// Models often leave out the prefix of a user's file.
async function loadUserFile(name: string, toolContext: ToolContext): Promise<Part | undefined> {
  return name.startsWith(USER) ? undefined : toolContext.loadArtifact(USER + name);
}
