// use-first.ts <url> <name>: after it receives a line, creates a session and appends to it. Reports errors.
import { openSessions } from '../open-sessions.ts';
import { stepOf } from '../steps.ts';
import { Channel } from './channel.ts';

const [url = '', name = ''] = process.argv.slice(2);
const session = { appName: 'app', userId: name, sessionId: name };
const channel = new Channel<object>();
channel.tell({ ready: true });
await channel.hear();

const failed: string[] = [];
const { service, close } = await openSessions(url);
try {
  await service.createSession(session);
  for (let n = 1; n <= 3; n++) await service.appendEvent({ session, event: stepOf(name, n) });
} catch (error) {
  failed.push(String(error));
}
channel.tell({ failed });
await close();
process.exit(0);
