import { StatementSync } from 'node:sqlite';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

/** Records the files that create a run: the calls between `runAsync` and the run's id. */
class RecordingRuntime extends FixedRuntime {
  start: string[] = [];

  override newId(purpose: string): string {
    if (purpose === 'run') this.start = filesOnStack();
    return super.newId(purpose);
  }
}

describe('the path from runAsync to the database', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('has at most 11 files for an event of an agent', async () => {
    const { start, ofAgent } = await recordPaths();
    // The run continues in the background, where its creation ended.
    expect(start).toContain('packages/runner/src/invocation/run-task.ts');
    expect(ofAgent).toContain('packages/runner/src/invocation/run-task.ts');
    expect(ofAgent).toContain('packages/core/src/session/stored-session-service.ts');
    const files = new Set([...start, ...ofAgent]);
    expect(files.size, [...files].join('\n')).toBeLessThanOrEqual(11);
  });

  it('has at most 11 files for the message, which passes through the opening of the run', async () => {
    const { start, ofMessage } = await recordPaths();
    expect(ofMessage).toContain('packages/runner/src/invocation/open-run.ts');
    const files = new Set([...start, ...ofMessage]);
    expect(files.size, [...files].join('\n')).toBeLessThanOrEqual(11);
  });
});

/** Returns the files on the stack where a run is created, and where SQLite stores its two events. */
async function recordPaths(): Promise<{ start: string[]; ofMessage: string[]; ofAgent: string[] }> {
  const stored: string[][] = [];
  const run = StatementSync.prototype.run;
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...parameters) {
    if (this.sourceSQL.startsWith('INSERT INTO thole_events')) stored.push(filesOnStack());
    return run.apply(this, parameters);
  });
  const sessionService = new DatabaseSessionService('sqlite:///:memory:');
  const runtime = new RecordingRuntime();
  const agent = new LlmAgent({ name: 'greeter', model: new ScriptedLlm(says('Hello.')) });
  const runner = new Runner({ appName: 'app', agent, sessionService, autoCreateSession: true, runtime });
  await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage: 'Hi.' });
  await runner.close();
  await sessionService.close();
  const [ofMessage, ofAgent, ...others] = stored;
  expect(others).toEqual([]);
  return { start: runtime.start, ofMessage: ofMessage!, ofAgent: ofAgent! };
}

/** Returns the source files of packages on the stack, also those that wait for a promise. */
function filesOnStack(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 200;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const files = [...stack.matchAll(/packages\/[\w-]+\/src\/[\w./-]+\.ts/g)].map(([file]) => file);
  return [...new Set(files)].filter((file) => !file.startsWith('packages/testing/'));
}
