import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, describeError, loadChat, stopRun, textOf } from './chat-api.ts';
import type { ChatMessage, StoredChat } from './chat-api.ts';
import { Message } from './Message.tsx';

const transport = new DefaultChatTransport<ChatMessage>({ api });

/** A chat with its stored messages. A running answer is resumed. */
export function Chat({ id, stored }: { id: string; stored: StoredChat }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const isMoved = useRef(false);
  const sentCount = useRef(0);
  const chat = useChat<ChatMessage>({
    id,
    messages: stored.messages,
    transport,
    // An approval is sent as soon as all requests of the message have one.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: () => isMoved.current && void showStored(),
    // Another tab has answered the request.
    onError: ({ message }) => message.includes('INTERRUPT_NOT_FOUND') && void showStored(),
  });
  const { clearError, resumeStream, setMessages } = chat;

  /** Returns a function that is false after a message was sent: the stored chat, which is then read already, does not contain it. */
  const startReading = (): (() => boolean) => {
    const before = sentCount.current;
    return () => sentCount.current === before;
  };
  const showStored = async (): Promise<void> => {
    isMoved.current = false;
    const isLatest = startReading();
    await loadChat(id).then(({ messages }) => isLatest() && setMessages(messages), console.error);
  };
  /**
   * Moves a message to the end until its answer is complete: the server reads answers only in the last message. Returns false while
   * another message is being answered.
   */
  const moveToEnd = (message: ChatMessage): boolean => {
    if (message === chat.messages.at(-1)) return true;
    if (isBusy) return false;
    isMoved.current = true;
    setMessages((all) => [...all.filter((each) => each !== message), message]);
    return true;
  };

  const resume = useCallback(async (): Promise<void> => {
    await resumeStream();
    // The run may have ended before its stream was requested. Its answer is then stored.
    const { messages } = await loadChat(id);
    setMessages((current) => (current.length < messages.length ? messages : current));
  }, [id, resumeStream, setMessages]);
  useEffect(() => {
    if (stored.isRunning) resume().catch(console.error);
  }, [stored, resume]);

  /** Shows the stored chat after a lost connection. A message that did not reach the server returns to the field. */
  const reload = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const isLatest = startReading();
      const { messages, isRunning } = await loadChat(id);
      if (!isLatest()) return;
      const last = chat.messages.at(-1);
      if (last?.role === 'user' && !messages.some((each) => each.id === last.id))
        setText((now) => `${textOf(last)} ${now}`.trim());
      setMessages(messages);
      clearError();
      if (isRunning) await resume();
    } catch (error) {
      setProblem(`Cannot load the chat. ${describeError(error as Error)}`);
    }
  };

  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  useEffect(() => {
    if (!isBusy) setProblem(undefined);
  }, [isBusy]);

  const canRegenerate = !isBusy && chat.messages.length > 0;

  const send = (): void => {
    if (text.trim() === '' || isBusy) return;
    sentCount.current++;
    void chat.sendMessage({ text });
    setText('');
  };
  const stop = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await stopRun(id);
      await chat.stop();
    } catch (error) {
      setProblem(`Cannot stop the answer. ${String(error)}`);
    }
  };

  return (
    <>
      <ol aria-live="polite" aria-busy={isBusy}>
        {chat.messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            onApproval={(approvalId, approved) => {
              if (moveToEnd(message)) void chat.addToolApprovalResponse({ id: approvalId, approved });
            }}
            onAnswer={(interruptId, value) => {
              if (moveToEnd(message)) void chat.sendMessage(undefined, { body: { answers: { [interruptId]: value } } });
            }}
          />
        ))}
      </ol>
      {isBusy && <p role="status">The concierge is answering.</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {chat.error && (
        <>
          <p role="alert">{describeError(chat.error)}</p>
          <button type="button" onClick={() => void reload()}>
            Load the chat again
          </button>
        </>
      )}
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
        {/* Not `disabled`: a button that is disabled after a click loses the focus. */}
        <button
          type="button"
          aria-disabled={!canRegenerate}
          onClick={() => {
            if (!canRegenerate) return;
            sentCount.current++;
            void chat.regenerate();
          }}
        >
          Regenerate
        </button>
      </form>
    </>
  );
}
