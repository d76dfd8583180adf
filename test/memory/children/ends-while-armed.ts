// ends-while-armed.ts <url> <session>: runs one turn, which starts timers of half an hour and a day. Closes nothing and waits for nothing,
// so the process must end although the timers are active.
import type { SessionRef } from '@thole/core';
import { memoryParts, MemoryRetention } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { says, ScriptedLlm } from '@thole/testing';

const [url = '', ref = ''] = process.argv.slice(2);
const { appName, userId, sessionId } = JSON.parse(ref) as SessionRef;
const sessions = new DatabaseSessionService(url);
const memory = new DatabaseMemoryService(url);
const { plugins, memoryService, consolidator } = memoryParts({ sessions, memory, llm: new ScriptedLlm() });
const retention = new MemoryRetention({ memory, appName, maxAgeMs: 1_000_000 });
retention.start();
const agent = new LlmAgent({ name: 'gaia', model: new ScriptedLlm(says('Noted.')) });
const services = { sessionService: sessions, memoryService, autoCreateSession: true };
const runner = new Runner({ appName, agent, plugins: [...plugins, retention], ...services });
await consolidator!.sweep({ appName });
await runner.runToCompletion({ userId, sessionId, newMessage: 'Grace is my girlfriend.' });
process.stdout.write(`${JSON.stringify({ at: 'the end' })}\n`);
