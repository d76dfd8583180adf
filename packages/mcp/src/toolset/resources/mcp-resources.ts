import type {
  Client,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  RequestOptions,
  Resource,
} from '@modelcontextprotocol/client';
import type { Content, Part, ReadonlyContext } from '@thole/core';
import { TholeError } from '@thole/core';
import type { ServerAccess } from '../connection/server-access.ts';
import { isLostSession, protocolCodeOf } from '../connection/to-mcp-error.ts';

/** Reads the resources and prompts of a server. */
export class McpResources {
  readonly #access: ServerAccess;

  constructor(access: ServerAccess) {
    this.#access = access;
  }

  async list(context: ReadonlyContext): Promise<Resource[]> {
    return this.#use(context, 'list its resources', async (client, options) => {
      if (!client.getServerCapabilities()?.resources) return [];
      return (await client.listResources(undefined, options)).resources;
    });
  }

  async read(context: ReadonlyContext, uri: string): Promise<ReadResourceResult> {
    return this.#use(context, 'send the resource', (client, options) => client.readResource({ uri }, options));
  }

  async listPrompts(context: ReadonlyContext): Promise<Prompt[]> {
    return this.#use(context, 'list its prompts', async (client, options) => {
      if (!client.getServerCapabilities()?.prompts) return [];
      return (await client.listPrompts(undefined, options)).prompts;
    });
  }

  async getPrompt(
    context: ReadonlyContext,
    name: string,
    args: { readonly [name: string]: string },
  ): Promise<Content[]> {
    const { messages } = await this.#use(context, 'send the prompt', (client, options) =>
      client.getPrompt({ name, arguments: { ...args } }, options),
    );
    return messages.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [toPart(content)],
    }));
  }

  async #use<T>(
    context: ReadonlyContext,
    action: string,
    work: (client: Client, options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const { signal } = context;
    return this.#access.use(context, signal, async (connection) => {
      try {
        return await connection.runWithTimeLimit(action, (options) => work(connection.client, options), signal);
      } catch (error) {
        const code = protocolCodeOf(error);
        if (code === undefined || isLostSession(error)) throw error;
        const message = `The MCP server "${this.#access.server}" does not have this resource or prompt, or refused the request (code ${code}).`;
        throw new TholeError('MCP_SERVER_FAILED', message);
      }
    });
  }
}

function toPart(content: GetPromptResult['messages'][number]['content']): Part {
  switch (content.type) {
    case 'text':
      return { text: content.text };
    case 'image':
    case 'audio':
      return { inlineData: { mimeType: content.mimeType, data: content.data } };
    case 'resource': {
      const { resource } = content;
      if ('text' in resource && typeof resource.text === 'string') return { text: resource.text };
      const data = (resource as { blob: string }).blob;
      return {
        inlineData: { mimeType: resource.mimeType ?? 'application/octet-stream', data, displayName: resource.uri },
      };
    }
    default:
      return { text: `Resource: ${content.uri}` };
  }
}
