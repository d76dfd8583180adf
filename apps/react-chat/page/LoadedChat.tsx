import { useEffect, useState } from 'react';
import { Chat } from './Chat.tsx';
import { loadChat } from './chat-api.ts';
import type { StoredChat } from './chat-api.ts';

/** A chat, shown when its stored messages are loaded. */
export function LoadedChat({ id }: { id: string }) {
  const [stored, setStored] = useState<StoredChat>();
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    let isCurrent = true;
    loadChat(id).then(
      (chat) => isCurrent && setStored(chat),
      (error: unknown) => isCurrent && setProblem(String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [id]);

  return (
    <>
      {problem !== undefined && <p role="alert">Cannot load the chat. {problem}</p>}
      {stored && <Chat id={id} stored={stored} />}
    </>
  );
}
