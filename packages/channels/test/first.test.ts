import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { memoryParts } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { expect, it } from 'vitest';
import { PassThrough } from 'node:stream';
import { Dispatcher, InMemoryDeliveryStore, InMemoryIdentityStore } from '../src/index.ts';
import { TerminalChannel } from '../src/terminal/index.ts';

it('works', async () => {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const llm = new ScriptedLlm(says('Hello.'), says('Fine.'));
  const identities = new InMemoryIdentityStore({ runtime });
  await identities.create({ name: 'Ada', identities: [{ channel: 'terminal', sender: 'me' }] });
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (d) => (text += d));
  const terminal = new TerminalChannel({ input, output, runtime });
  const dispatcher = new Dispatcher({
    appName: 'app',
    channels: [terminal],
    identities,
    deliveries: new InMemoryDeliveryStore(),
    sessions,
    runtime,
    onError: (f) => console.log(f),
    createParts: () => {
      const memory = memoryParts({ sessions, memory: new InMemoryMemoryService({ runtime }), runtime });
      const agent = new LlmAgent({ name: 'a', model: llm });
      const runner = new Runner({
        appName: 'app',
        agent,
        sessionService: sessions,
        memoryService: memory.memoryService,
        plugins: memory.plugins,
        autoCreateSession: true,
        concurrency: { policy: 'join' },
        runtime,
      });
      return { runner, commands: memory.commands, consolidator: memory.consolidator };
    },
  });
  await dispatcher.start();
  input.write('hi\nthere\n');
  await runtime.advance(100);
  await dispatcher.idle();
  input.write('/remember I like tea\n');
  await runtime.advance(100);
  await dispatcher.idle();
  input.write('/help\n');
  await runtime.advance(100);
  await dispatcher.idle();
  await new Promise((r) => setTimeout(r, 50));
  await dispatcher.idle();
  expect(text).toBe('x');
  await dispatcher.close();
});
