import { useEffect, useState } from 'react';
import { Chat } from './Chat.tsx';
import { describeError, loadChat } from './chat-api.ts';
import type { StoredChat } from './chat-api.ts';

/** A chat, shown when its stored messages are loaded. */
export function LoadedChat({ id }: { id: string }) {
  const [stored, setStored] = useState<StoredChat>();
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let isCurrent = true;
    setProblem(undefined);
    loadChat(id).then(
      (chat) => isCurrent && setStored(chat),
      (error: unknown) => isCurrent && setProblem(describeError(error as Error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, attempt]);

  return (
    <>
      {problem !== undefined && (
        <>
          <p role="alert">Cannot load the chat. {problem}</p>
          <button type="button" onClick={() => setAttempt(attempt + 1)}>
            Load the chat again
          </button>
        </>
      )}
      {stored && <Chat id={id} stored={stored} />}
    </>
  );
}
