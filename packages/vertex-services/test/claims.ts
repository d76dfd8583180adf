/** Claims of the session suite. The service has no leases and cannot be watched. */
export const sessionClaims: readonly string[] = ['durable'];

const ids = 'Session ids of Vertex AI have 1 to 63 letters, digits and hyphens';
const unique = 'Session ids of Vertex AI are unique in an engine, across its users';

/** Cases of the session suite that Vertex AI cannot pass, each with the reason. */
export const sessionsPending: { readonly [id: string]: string } = {
  'names.odd-sessionId': ids,
  'names.not-joined': ids,
  'names.odd-userId': unique,
  'create.same-id-elsewhere': unique,
  'user-data.deleted': unique,
};

/** Cases of the session store's suite that Vertex AI cannot pass, each with the reason. */
export const sessionStorePending: { readonly [id: string]: string } = { 'waiting.members': ids };

/** Claims of Memory Bank. It stores facts instead of turns, and keeps no record of deletions. */
export const bankClaims: readonly string[] = [
  'addEventsToMemory',
  'addMemory',
  'getMemory',
  'updateMemory',
  'listMemories',
  'deleteMemory',
  'deleteUserMemory',
  'turn-ranking',
  'shared',
];

/** Claims of RAG memory. It ranks passages of sessions, and has no entries that can be changed. */
export const ragClaims: readonly string[] = ['deleteSessionMemory', 'deleteUserMemory', 'turns', 'shared'];
