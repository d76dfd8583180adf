import { useEffect, useState } from 'react';
import { Chat } from './Chat.tsx';
import { loadChat } from './chat-api.ts';
import type { StoredChat } from './chat-api.ts';

/** The page with one chat. The id of the chat is in the address, so that a reload keeps it. */
export function App() {
  const [id, setId] = useState(readChatId);
  const [stored, setStored] = useState<StoredChat>();
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    let isCurrent = true;
    setStored(undefined);
    loadChat(id).then(
      (chat) => isCurrent && setStored(chat),
      (error: unknown) => isCurrent && setProblem(String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [id]);

  const startChat = (): void => {
    location.hash = crypto.randomUUID();
    setId(location.hash.slice(1));
  };

  return (
    <>
      <header>
        <h1>Hotel concierge</h1>
        <button type="button" onClick={startChat}>
          New chat
        </button>
      </header>
      <main>
        {problem !== undefined && <p role="alert">Cannot load the chat. {problem}</p>}
        {stored && <Chat key={id} id={id} stored={stored} />}
      </main>
    </>
  );
}

function readChatId(): string {
  if (location.hash.length < 2) location.hash = crypto.randomUUID();
  return location.hash.slice(1);
}
