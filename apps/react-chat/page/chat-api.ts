import type { UIMessage } from 'ai';

/** A message of the concierge's chat. */
export type ChatMessage = UIMessage<{ errorText?: string }, { interrupt: InterruptData }>;

/** A request to a person, in the form in which the server sends it. */
export interface InterruptData {
  id: string;
  kind: 'confirmation' | 'input' | 'credential' | 'longRunning' | 'timer';
  message?: string;
  responseSchema?: { type?: string };
  isOpen: boolean;
}

/** The guest, from `?userId=…` of the address, because this page has no sign-in. */
const guest = new URLSearchParams(location.search).get('userId') ?? 'guest';
const query = `?userId=${encodeURIComponent(guest)}`;

/** The address of `useChat`. */
export const api = `/ui/hotel/chat${query}`;

/** The stored messages of a chat, without a running answer. */
export interface StoredChat {
  messages: ChatMessage[];
  isRunning: boolean;
}

/** Returns the stored messages of a chat. */
export async function loadChat(id: string): Promise<StoredChat> {
  const response = await fetch(`/ui/hotel/chat/${encodeURIComponent(id)}/messages${query}`);
  assertOk(response);
  return (await response.json()) as StoredChat;
}

/** Stops the run of a chat. A request is needed, because the server continues a run after its page has closed. */
export async function stopRun(id: string): Promise<void> {
  assertOk(await fetch(`/ui/hotel/chat/${encodeURIComponent(id)}/stream${query}`, { method: 'DELETE' }));
}

/** Returns the text of a message. */
export function textOf({ parts }: ChatMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the sentence of an error. The message of a refused request is the JSON that the server sent. */
export function describeError(error: Error): string {
  const { message } = error;
  // `fetch` and its streams fail with a TypeError if the connection fails.
  if (error instanceof TypeError) return 'The connection to the server was lost.';
  try {
    return (JSON.parse(message) as { detail?: string }).detail ?? message;
  } catch {
    return message;
  }
}

function assertOk(response: Response): void {
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
}
