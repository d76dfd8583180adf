import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';
import type { Outcome } from '../support/thole.ts';

interface RunResult extends Outcome {
  /** True if a path in the working directory exists. */
  hasPath(path: string): boolean;
}

/** Runs an agent that saves a file, with these options. */
async function runWith(...options: string[]): Promise<RunResult> {
  const cwd = temporaryFolder({ 'hello/agent.ts': '' });
  const save = new FunctionTool({
    name: 'save',
    description: 'Saves a file.',
    parameters: { type: 'object' },
    execute: async (_, context) => ({ version: await context.saveArtifact('note.txt', { text: 'one' }) }),
  });
  const model = new ScriptedLlm(calls('save', {}), says('Saved.'));
  const modules = { 'hello/agent.ts': { rootAgent: new LlmAgent({ name: 'hello', model, tools: [save] }) } };
  const outcome = await thole(['run', 'hello', 'Save it.', ...options], { cwd, modules });
  return { ...outcome, hasPath: (path) => existsSync(join(cwd, path)) };
}

describe("ADK's deprecated names of service options", () => {
  it('choose the stores of sessions and artifacts', async () => {
    const result = await runWith(
      '--session_db_url',
      'sqlite:///./old.db',
      '--artifact_storage_uri',
      'file://./old-files',
    );
    expect(result.code).toBe(0);
    expect(['old.db', 'old-files', '.thole/sessions.db', '.thole/artifacts'].map(result.hasPath)).toEqual([
      ...[true, true],
      ...[false, false],
    ]);
  });

  it('have no effect if the current options are set', async () => {
    const current = ['--session_service_uri=sqlite:///./new.db', '--artifact_service_uri=file://./new-files'];
    const result = await runWith(
      ...current,
      '--session_db_url=sqlite:///./old.db',
      '--artifact_storage_uri=file://./old',
    );
    expect(result.code).toBe(0);
    expect(['new.db', 'new-files', 'old.db', 'old'].map(result.hasPath)).toEqual([true, true, false, false]);
  });

  it.each([['run'], ['web'], ['api_server']])('are accepted by %s and are not in its help', async (name) => {
    const old = ['--session_db_url', 'memory://', '--artifact_storage_uri', 'memory://'];
    const { errors } = await thole([name, 'nowhere', ...old], { cwd: temporaryFolder() });
    expect(errors).toBe('error: There is no file or folder nowhere.\n');
    const { output } = await thole([name, '--help']);
    expect(output).not.toMatch(/db-url|storage-uri/);
  });
});
