import { VertexAiSessionService } from '@thole/vertex-services';

const sessionService = new VertexAiSessionService();
const user = { appName: process.env.AGENT_ENGINE_ID ?? '1234567890', userId: 'example_user' };

const session = await sessionService.createSession({ ...user, state: { initial_key: 'initial_value' } });
console.log('App and user:', session.appName, session.userId);
console.log('State:', session.state);
console.log('Events:', session.events);

const isDeleted = await sessionService.deleteSession({ ...user, sessionId: session.id });
console.log('Deleted:', isDeleted);
