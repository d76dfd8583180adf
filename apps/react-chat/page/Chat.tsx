import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useState } from 'react';
import { api, stopRun } from './chat-api.ts';
import type { ChatMessage } from './chat-api.ts';
import { Message } from './Message.tsx';

const transport = new DefaultChatTransport<ChatMessage>({ api });

/** A chat with its stored messages. A running answer is resumed. */
export function Chat({ id, messages: stored }: { id: string; messages: ChatMessage[] }) {
  const [text, setText] = useState('');
  const chat = useChat<ChatMessage>({
    id,
    messages: stored,
    transport,
    resume: true,
    // An approval is sent as soon as all requests of the message have one.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';

  const send = (): void => {
    if (text.trim() === '' || isBusy) return;
    void chat.sendMessage({ text });
    setText('');
  };
  const stop = async (): Promise<void> => {
    await stopRun(id);
    await chat.stop();
  };

  return (
    <>
      <ol aria-live="polite" aria-busy={isBusy}>
        {chat.messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            onApproval={(approvalId, approved) => void chat.addToolApprovalResponse({ id: approvalId, approved })}
            onAnswer={(interruptId, value) =>
              void chat.sendMessage(undefined, { body: { answers: { [interruptId]: value } } })
            }
          />
        ))}
      </ol>
      {isBusy && <p role="status">The concierge is answering.</p>}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label>
          Message
          <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        </label>
        {isBusy ? (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
        <button type="button" disabled={isBusy || chat.messages.length === 0} onClick={() => void chat.regenerate()}>
          Regenerate
        </button>
      </form>
    </>
  );
}
