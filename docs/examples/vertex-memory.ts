import * as vertex from '@thole/vertex-services';
import { LlmAgent, preloadMemoryTool, Runner } from 'thole';
import { chooseModel } from './model.ts';

const appName = process.env.AGENT_ENGINE_ID ?? '1234567890';
const user = { appName, userId: 'mem_user' };
const sessionService = new vertex.VertexAiSessionService();
const memoryService = new vertex.VertexAiMemoryBankService({ customMetadata: { wait_for_completion: true } });

const model = chooseModel();
const infoCaptureAgent = new LlmAgent({ name: 'InfoCaptureAgent', model });
const memoryRecallAgent = new LlmAgent({ name: 'MemoryRecallAgent', model, tools: [preloadMemoryTool()] });
const runner = new Runner({ appName, agent: infoCaptureAgent, sessionService, memoryService });

const first = await sessionService.createSession(user);
const newMessage = 'My favorite project is Project Alpha.';
await runner.runToCompletion({ userId: user.userId, sessionId: first.id, newMessage });
const stored = await sessionService.getSession({ ...user, sessionId: first.id });
if (stored) await memoryService.addSessionToMemory(stored);

const second = await sessionService.createSession(user);
runner.agent = memoryRecallAgent;
const question = 'What is my favorite project?';
const { text } = await runner.runToCompletion({ userId: user.userId, sessionId: second.id, newMessage: question });
console.log(text);
await runner.close();
