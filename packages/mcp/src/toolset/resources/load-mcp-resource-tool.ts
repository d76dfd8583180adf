import type { Resource } from '@modelcontextprotocol/client';
import type { JsonObject, Tool } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import { toResourceResult } from '../calls/to-tool-result.ts';
import { cleanText } from '../declarations/quote-server-text.ts';
import type { McpResources } from './mcp-resources.ts';

const MAX_LISTED = 200;
const MAX_TEXT = 200;

/** Returns the tool with which the model lists and reads the resources of a server. */
export function createLoadResourceTool(
  resources: McpResources,
  p: { server: string; prefix: string | undefined; maxResultBytes: number },
): Tool {
  const name = p.prefix === undefined ? 'load_mcp_resource' : `${p.prefix}_load_mcp_resource`;
  const description = `Reads a resource of the MCP server "${p.server}", such as a file or a record. Without uri, returns the list of resources.`;
  const uri = { type: 'string', description: 'Address of the resource, from the list or from the answer of a tool.' };
  return {
    name,
    description,
    idempotent: true,
    declaration: () => ({ name, description, parametersJsonSchema: { type: 'object', properties: { uri } } }),
    async runAsync({ args, toolContext }) {
      const { uri: address } = args;
      if (address === undefined || address === '') {
        const found = await resources.list(toolContext);
        return { resources: toList(found, p.maxResultBytes), count: found.length };
      }
      if (typeof address !== 'string') throw invalidInput('uri', 'a string', address);
      return toResourceResult(await resources.read(toolContext, address), p.maxResultBytes);
    },
  };
}

/** Returns the first resources, at most 200 and at most `maxBytes` of them. */
function toList(resources: readonly Resource[], maxBytes: number): JsonObject[] {
  const list: JsonObject[] = [];
  let bytes = 0;
  for (const resource of resources.slice(0, MAX_LISTED)) {
    const found = toListItem(resource);
    bytes += new TextEncoder().encode(JSON.stringify(found)).length;
    if (bytes > maxBytes) break;
    list.push(found);
  }
  return list;
}

function toListItem({ uri, name, description, mimeType }: Resource): JsonObject {
  return {
    uri,
    name: cleanText(name, MAX_TEXT),
    ...(description !== undefined && { description: cleanText(description, MAX_TEXT) }),
    ...(mimeType !== undefined && { mimeType }),
  };
}
