import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchPeer } from '../../scripts/fetch-package.mjs';
import { answer, instruction, question, textAt } from './history.ts';

/** A message: of the user as text, or of the assistant as in the SDK's `responseMessages`. */
export interface AiMessage {
  role: 'user' | 'assistant';
  content: string | { type: 'text'; text: string }[];
}

interface AiModule {
  generateText(options: { model: unknown; instructions: string; messages: AiMessage[] }): Promise<{
    responseMessages: AiMessage[];
  }>;
}

/**
 * Vercel's AI SDK with the history in an array of the caller, and a model that answers at once, or after `latencyMs`.
 */
export class Ai {
  static readonly version = '7.0.173';
  readonly #module: AiModule;
  readonly #model: unknown;

  private constructor(module: AiModule, latencyMs: number) {
    this.#module = module;
    this.#model = freeModel(latencyMs);
  }

  static async load(latencyMs = 0): Promise<Ai> {
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const entry = pathToFileURL(join(await fetchPeer('ai', Ai.version), 'dist/index.js')).href;
    return new Ai((await import(entry)) as AiModule, latencyMs);
  }

  createSession(length: number): AiMessage[] {
    return Array.from({ length }, (_, i) =>
      i % 2 === 0
        ? { role: 'user', content: textAt(i) }
        : { role: 'assistant', content: [{ type: 'text', text: textAt(i) }] },
    );
  }

  async runTurn(messages: AiMessage[]): Promise<void> {
    messages.push({ role: 'user', content: question });
    const options = { model: this.#model, instructions: instruction, messages };
    const { responseMessages } = await this.#module.generateText(options);
    messages.push(...responseMessages);
  }
}

function freeModel(latencyMs: number): unknown {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return {
    specificationVersion: 'v4',
    provider: 'none',
    modelId: 'free',
    supportedUrls: {},
    async doGenerate() {
      if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
      const finishReason = { unified: 'stop', raw: 'stop' };
      return { content: [{ type: 'text', text: answer }], finishReason, usage, warnings: [] };
    },
  };
}
