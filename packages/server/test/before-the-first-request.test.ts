import { silentLogger } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler, startRecovery } from '@thole/server';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';

/** Cloudflare Workers allow no random values, timers and requests outside a request. */
class WorkerRuntime extends FixedRuntime {
  isInRequest = false;

  override newId(kind: string): string {
    this.#assertInRequest();
    return super.newId(kind);
  }

  override random(): number {
    this.#assertInRequest();
    return super.random();
  }

  override timer(...args: Parameters<FixedRuntime['timer']>): ReturnType<FixedRuntime['timer']> {
    this.#assertInRequest();
    return super.timer(...args);
  }

  #assertInRequest(): void {
    if (!this.isInRequest) throw new Error('Disallowed operation called within global scope.');
  }
}

describe('createHandler in Cloudflare Workers', () => {
  it('uses no random values and timers before the first request', async () => {
    const runtime = new WorkerRuntime();
    const rootAgent = new LlmAgent({ name: 'host', model: new ScriptedLlm(says('Hello.')) });
    const handler = createHandler({
      apps: [{ name: 'inn', rootAgent }],
      sessionService: new InMemorySessionService({ runtime }),
      memoryService: new InMemoryMemoryService({ runtime }),
      artifactService: new InMemoryArtifactService({ runtime }),
      runtime,
    });
    runtime.isInRequest = true;
    const response = await handler(new Request('http://localhost/list-apps'));
    expect(await response.json()).toEqual(['inn']);
  });
});

describe('startRecovery in Cloudflare Workers', () => {
  it('stops and logs a warning if the runtime cannot wait', async () => {
    const warnings: string[] = [];
    let attempts = 0;
    const runtime = Object.assign(new FixedRuntime(), {
      sleep: () =>
        attempts++ < 100 ? Promise.reject(new Error('Disallowed operation.')) : new Promise<void>(() => {}),
      logger: { ...silentLogger, warn: (message: string) => void warnings.push(message) },
    });
    startRecovery({ runners: () => [], runtime });
    await new Promise((resolve) => setImmediate(resolve));
    expect({ attempts, warnings }).toEqual({ attempts: 1, warnings: ['Recovery has stopped.'] });
  });
});
