import { newestUserContent } from '@thole/core/kit';
import { InMemoryArtifactService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner, SequentialAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { loadArtifactsTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
const inlineData = { mimeType: 'audio/wav', data: 'AAAA' };

// Providers reject a file that the model cannot read only in this content.
describe('newestUserContent in a run', () => {
  it('is the message of the user, not the file of another agent before it', async () => {
    const speaker = new LlmAgent({
      name: 'speaker',
      model: new ScriptedLlm({ content: { role: 'model', parts: [{ inlineData }] } }),
    });
    const model = new ScriptedLlm(says('A voice.'));
    const describer = new LlmAgent({ name: 'describer', model });
    const agent = new SequentialAgent({ name: 'both', subAgents: [speaker, describer] });
    await using runner = new Runner({
      appName: 'app',
      agent,
      sessionService: new InMemorySessionService(),
      autoCreateSession: true,
    });
    await runner.runToCompletion({ ...ref, newMessage: 'Say and describe it.' });
    const { contents } = model.requests[0]!;
    expect(contents.at(-1)!.parts).toContainEqual({ inlineData });
    expect(newestUserContent(contents)).toBe(0);
  });

  it('is not a file that the model has loaded', async () => {
    const artifactService = new InMemoryArtifactService();
    await artifactService.saveArtifact({ ...ref, filename: 'a.wav', artifact: { inlineData } });
    const model = new ScriptedLlm(calls('load_artifacts', { artifact_names: ['a.wav'] }), says('A voice.'));
    const agent = new LlmAgent({ name: 'describer', model, tools: [loadArtifactsTool()] });
    const services = { sessionService: new InMemorySessionService(), artifactService };
    await using runner = new Runner({ appName: 'app', agent, ...services, autoCreateSession: true });
    await runner.runToCompletion({ ...ref, newMessage: 'What is in a.wav?' });
    const { contents } = model.requests[1]!;
    expect(contents.at(-1)!.parts).toContainEqual({ inlineData });
    expect(newestUserContent(contents)).toBe(-1);
  });
});
