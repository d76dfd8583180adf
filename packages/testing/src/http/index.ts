export { bytesOf, ProtocolServer, serverSentEvents } from './protocol-server.ts';
export type { Answering, ReceivedRequest, ServerAnswer } from './protocol-server.ts';
