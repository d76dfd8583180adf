import { getFunctionResponses } from '@thole/core';
import type { Tool } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime } from '@thole/testing';
import { driveTrip, SimulatedProcess, SimulatedWorld } from '@thole/testing/simulation';
import { calls } from './crash-trips.ts';
import type { CrashTrip, TripCounts } from './crash-trips.ts';

const ref = { appName: 'trips', userId: 'u', sessionId: 's' };

/** The trip with Thole. The first two calls are idempotent, and the last one needs a confirmation. */
export function ourTrip(counts: TripCounts): CrashTrip {
  const runtime = new FixedRuntime();
  const service = new InMemorySessionService({ runtime });
  const keys = new Set<string>();
  return {
    async continueIn(outer) {
      const process = new SimulatedProcess(runtime);
      const gate = async (point: string): Promise<void> => {
        const passing = outer.gate(point);
        if (outer.isDead) process.die();
        await passing;
      };
      const sessionService = process.serviceOf(service, new SimulatedWorld());
      const gatedService = { ...sessionService };
      for (const name of ['appendEvent', 'getSession', 'createSession'] as const)
        Object.assign(gatedService, {
          [name]: async (p: never) => {
            await gate(`${name}: begins`);
            const result = await (sessionService[name] as (p: never) => Promise<unknown>)(p);
            await gate(`${name}: ends`);
            return result;
          },
        });
      const model = {
        model: 'free',
        specVersion: 1 as const,
        async *generateContentAsync({ contents }: { contents: readonly { role?: string | undefined }[] }) {
          const n = contents.filter(({ role }) => role === 'model').length;
          await gate('model: asked');
          counts.modelCalls++;
          await gate('model: answers');
          const name = calls[n];
          const part = name ? { functionCall: { id: `c-${name}`, name, args: {} } } : { text: 'Booked.' };
          yield { content: { role: 'model' as const, parts: [part] } };
        },
      };
      const tools = calls.map((name): Tool => ({
        name,
        description: name,
        idempotent: name === 'reserve' || name === 'hold',
        requireConfirmation: name === 'pay',
        declaration: () => ({ name, description: name, parametersJsonSchema: { type: 'object' } }),
        async runAsync({ toolContext: { idempotencyKey } }) {
          await gate(`${name}: begins`);
          // A service that knows the key ignores the repeated call.
          if (!keys.has(idempotencyKey)) counts.takeEffect(name);
          keys.add(idempotencyKey);
          await gate(`${name}: ends`);
          return { done: name };
        },
      }));
      const rootAgent = new LlmAgent({ name: 'root', model, tools });
      const app = { name: 'trips', rootAgent };
      const runner = new Runner({ app, sessionService: gatedService, runtime: process.runtime });
      for (let i = 0; i < 8; i++) if (await driveTrip({ runner, sessionService: gatedService, ref })) return true;
      return false;
    },
    afterDeath: () => runtime.advance(120_000),
    async answers() {
      const found: { [call: string]: unknown[] } = {};
      for (const event of (await service.getSession(ref))?.events ?? [])
        for (const { id, name, response } of getFunctionResponses(event))
          if (id === `c-${name}` && !Object.hasOwn(event.actions.requestedToolConfirmations, id))
            (found[name] ??= []).push(response);
      return found;
    },
  };
}
