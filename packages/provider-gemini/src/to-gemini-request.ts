import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject, setOwn } from '@thole/core/kit';
import type { FunctionDeclaration, Json, JsonObject, LlmRequest } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { isGemini3, toGeminiContents } from './to-gemini-contents.ts';
import { GEMINI } from './from-gemini-part.ts';
import { toGeminiParameters, toGeminiSchema } from './to-gemini-schema.ts';
import type { SchemaHandling } from './to-gemini-schema.ts';
import { toProviderTool } from './to-provider-tool.ts';

/** One request to Gemini. */
export interface GeminiRequest {
  readonly model: string;
  /** Body of `generateContent` and `streamGenerateContent`. */
  readonly body: JsonObject;
}

/** The endpoint that receives a request, and the handling of unsupported schemas. */
export interface RequestTarget {
  readonly vertexai?: boolean | undefined;
  readonly project?: string | undefined;
  readonly location?: string | undefined;
  /** Default: the Gemini API. */
  readonly endpoint?: Endpoint | undefined;
  readonly schemas?: SchemaHandling | undefined;
}

/** Names in the body of the config's members that are next to `generationConfig`, not inside it. */
const TOP_LEVEL_NAMES: { readonly [name: string]: string } = {
  systemInstruction: 'systemInstruction',
  tools: 'tools',
  toolConfig: 'toolConfig',
  safetySettings: 'safetySettings',
  cachedContent: 'cachedContent',
  labels: 'labels',
  serviceTier: 'serviceTier',
  modelArmorConfig: 'modelArmorConfig',
  generationOutputConfig: 'outputConfig',
  store: 'store',
};

/** Members of the SDK's config that this package sets itself, or that the model does not receive. */
const FORBIDDEN_OPTIONS: readonly string[] = [
  'httpOptions',
  'abortSignal',
  'automaticFunctionCalling',
  'automaticContinuation',
  'continuationToken',
];

/**
 * Returns a request in Gemini's format. `providerOptions.gemini` is merged into its config. Does not change the
 * given request and shares unchanged parts with it. Throws `SCHEMA_UNSUPPORTED` or `INVALID_INPUT` for data that
 * Gemini cannot receive.
 */
export function toGeminiRequest(request: LlmRequest, model: string, target: RequestTarget = {}): GeminiRequest {
  const modelName = request.model ?? model;
  const config = mergeOptions(request.config as JsonObject, request.providerOptions?.['gemini']);
  const body: JsonObject = {
    contents: toGeminiContents(request.contents, { model: modelName, endpoint: target.endpoint ?? { name: GEMINI } }),
  };
  const generationConfig: JsonObject = {};
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const topLevelName = Object.hasOwn(TOP_LEVEL_NAMES, name) ? TOP_LEVEL_NAMES[name] : undefined;
    if (topLevelName === undefined)
      setOwn(generationConfig, name === 'modelSelectionConfig' ? 'modelConfig' : name, value);
    else {
      const sent = toTopLevelValue(name, value, target);
      if (sent !== undefined) body[topLevelName] = sent;
    }
  }
  const { responseJsonSchema: schema } = generationConfig;
  if (schema !== undefined) {
    generationConfig['responseJsonSchema'] = toGeminiSchema(schema, 'responseJsonSchema', target.schemas);
    generationConfig['responseMimeType'] ??= 'application/json';
  }
  if (Object.keys(generationConfig).length > 0) body['generationConfig'] = generationConfig;
  // The Gemini API rejects the combination without this setting, which Vertex AI does not have.
  if (!target.vertexai && isGemini3(modelName) && combinesTools(body['tools']))
    body['toolConfig'] = { includeServerSideToolInvocations: true, ...(body['toolConfig'] as JsonObject | undefined) };
  return { model: modelName, body };
}

function toTopLevelValue(name: string, value: Json, target: RequestTarget): Json | undefined {
  if (name === 'systemInstruction' && typeof value === 'string')
    return value === '' ? undefined : { role: 'user', parts: [{ text: value }] };
  if (name === 'tools') return toTools(value, target);
  if (name === 'cachedContent' && typeof value === 'string') return toCacheName(value, target);
  return value;
}

/** Merges `options` into the config: lists of tools are joined, objects are merged, other values replace the config's. */
function mergeOptions(config: JsonObject, options: JsonObject | undefined): JsonObject {
  if (options === undefined) return config;
  if (!isPlainObject(options)) throw invalidInput('providerOptions.gemini', 'an object', options);
  const merged: JsonObject = { ...config };
  for (const [name, value] of Object.entries(options)) {
    if (FORBIDDEN_OPTIONS.includes(name))
      throw new TholeError('INVALID_INPUT', `providerOptions.gemini.${name} is not an option of the model.`);
    if (name === 'candidateCount' && value !== 1)
      throw new TholeError(
        'INVALID_INPUT',
        'providerOptions.gemini.candidateCount must be 1, because only one answer is read.',
      );
    const current = merged[name];
    if (name === 'tools' && Array.isArray(current) && Array.isArray(value)) merged[name] = [...current, ...value];
    else if (isPlainObject(current) && isPlainObject(value))
      merged[name] = { ...(current as JsonObject), ...(value as JsonObject) };
    else merged[name] = value;
  }
  return merged;
}

function toTools(tools: Json, target: RequestTarget): Json | undefined {
  if (!Array.isArray(tools)) throw invalidInput('config.tools', 'an array', tools);
  const sent = tools.flatMap((tool) => {
    if (!isPlainObject(tool)) throw invalidInput('config.tools[]', 'an object', tool);
    if (!Array.isArray(tool['functionDeclarations'])) return [toProviderTool(tool as JsonObject, target)];
    const declarations = tool['functionDeclarations'] as unknown as FunctionDeclaration[];
    if (declarations.length === 0) return [];
    return [{ ...(tool as JsonObject), functionDeclarations: declarations.map((each) => toDeclaration(each, target)) }];
  });
  return sent.length > 0 ? sent : undefined;
}

/** True if there are functions and tools that Gemini runs itself. */
function combinesTools(tools: Json | undefined): boolean {
  const names = new Set(((tools ?? []) as JsonObject[]).flatMap((tool) => Object.keys(tool)));
  names.delete('computerUse');
  return names.delete('functionDeclarations') && names.size > 0;
}

function toDeclaration(declaration: FunctionDeclaration, { schemas }: RequestTarget): JsonObject {
  const { parametersJsonSchema, responseJsonSchema, ...rest } = declaration;
  const path = `tools.${declaration.name}`;
  const parameters = parametersJsonSchema && toGeminiParameters(parametersJsonSchema, `${path}.parameters`, schemas);
  const answer = responseJsonSchema && toGeminiSchema(responseJsonSchema, `${path}.response`, schemas);
  return {
    ...(rest as JsonObject),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
    ...(answer !== undefined && { responseJsonSchema: answer }),
  };
}

function toCacheName(name: string, { vertexai, project, location = 'global' }: RequestTarget): string {
  if (name.startsWith('projects/')) return name;
  const short = name.startsWith('cachedContents/') ? name : `cachedContents/${name}`;
  return vertexai && project !== undefined ? `projects/${project}/locations/${location}/${short}` : short;
}
