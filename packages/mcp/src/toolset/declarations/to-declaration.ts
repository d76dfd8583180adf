import type { Tool as McpToolDefinition } from '@modelcontextprotocol/client';
import type { FunctionDeclaration, Json, JsonObject } from '@thole/core';
import { TholeError } from '@thole/core';
import { failInvalidJson, isPlainObject, JsonCopier, mapSchemas, resolveSchemaRoot, setOwn } from '@thole/core/kit';
import { cleanText, quoteServerText } from './quote-server-text.ts';

const MAX_DESCRIPTION = 1_024;
const MAX_FIELD_DESCRIPTION = 512;
const MAX_SCHEMA_BYTES = 65_536;

/**
 * Returns the declaration of a server's tool for the model. Descriptions are quoted and cut. Throws `MCP_SERVER_FAILED` for
 * a schema that is too large.
 */
export function toDeclaration(
  { name: mcpName, description, inputSchema }: McpToolDefinition,
  p: { name: string; server: string },
): FunctionDeclaration {
  return {
    name: p.name,
    description: toDescription(description, p.server),
    parametersJsonSchema: toParameters(inputSchema, mcpName, p.server),
  };
}

function toDescription(description: string | undefined, server: string): string {
  const intro = `A tool of the MCP server "${server}".`;
  if (description === undefined || description.trim() === '') return intro;
  return quoteServerText(description, { intro, tag: 'description', maxLength: MAX_DESCRIPTION });
}

function toParameters(schema: unknown, tool: string, server: string): JsonObject {
  const { $schema: _, ...rest } = schema as { [keyword: string]: unknown };
  const name = JSON.stringify(tool.slice(0, 100));
  try {
    const copy = new JsonCopier(failInvalidJson).copy(rest, 'inputSchema') as JsonObject;
    if (JSON.stringify(copy).length <= MAX_SCHEMA_BYTES)
      return cleanSchema({ properties: {}, ...resolveSchemaRoot(copy), type: 'object' });
  } catch (cause) {
    const message = `The MCP server "${server}" has a tool ${name} with a schema that is not JSON. Leave it out with toolFilter.`;
    throw new TholeError('MCP_SERVER_FAILED', message, { cause });
  }
  const message = `The MCP server "${server}" has a tool ${name} whose schema has more than ${MAX_SCHEMA_BYTES} bytes. Leave it out with toolFilter.`;
  throw new TholeError('MCP_SERVER_FAILED', message);
}

function cleanSchema(schema: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const isText = (keyword === 'description' || keyword === 'title') && typeof value === 'string';
    const cleaned: Json = isText ? cleanText(value as string, MAX_FIELD_DESCRIPTION) : value;
    setOwn(
      copy,
      keyword,
      isPlainObject(cleaned) || Array.isArray(cleaned) ? mapSchemas(keyword, cleaned, cleanSchema) : cleaned,
    );
  }
  return copy;
}
