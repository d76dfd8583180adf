import { useEffect, useState } from 'react';
import { LoadedChat } from './LoadedChat.tsx';

/** The page with one chat. The id of the chat is in the address, so that a reload and the buttons back and forward keep it. */
export function App() {
  const [id, setId] = useState(readChatId);

  useEffect(() => {
    const follow = (): void => setId(readChatId());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  const startChat = (): void => {
    location.hash = crypto.randomUUID();
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
        <LoadedChat key={id} id={id} />
      </main>
    </>
  );
}

/** Returns the id in the address. Adds an id if the address has none. */
function readChatId(): string {
  if (location.hash.length < 2) history.replaceState(null, '', `#${crypto.randomUUID()}`);
  return location.hash.slice(1);
}
