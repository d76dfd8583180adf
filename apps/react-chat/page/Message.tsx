import type { ChatMessage } from './chat-api.ts';
import { Question } from './Question.tsx';
import { ToolCall } from './ToolCall.tsx';

/** A message with its texts, tools, files, sources and questions. */
export function Message(p: {
  message: ChatMessage;
  onApproval: (approvalId: string, approved: boolean) => void;
  onAnswer: (interruptId: string, value: unknown) => void;
}) {
  const { id, metadata, parts, role } = p.message;
  return (
    <li className={role} aria-label={role === 'user' ? 'You' : 'Concierge'}>
      {parts.map((part, i) => {
        const key = `${id}-${i}`;
        switch (part.type) {
          case 'text':
            return <p key={key}>{part.text}</p>;
          case 'reasoning':
            return (
              <details key={key}>
                <summary>Thoughts</summary>
                <p>{part.text}</p>
              </details>
            );
          case 'dynamic-tool':
            return <ToolCall key={key} part={part} onApproval={p.onApproval} />;
          case 'file':
            return part.mediaType.startsWith('image/') ? (
              <img key={key} src={part.url} alt={part.filename ?? 'Image'} />
            ) : (
              <a key={key} href={part.url} download={part.filename ?? true}>
                {part.filename ?? 'File'}
              </a>
            );
          case 'source-url':
            return (
              <a key={key} href={part.url} rel="noreferrer">
                {part.title ?? part.url}
              </a>
            );
          case 'data-interrupt':
            return part.data.kind === 'input' && part.data.isOpen ? (
              <Question key={key} interrupt={part.data} onAnswer={(value) => p.onAnswer(part.data.id, value)} />
            ) : null;
          default:
            return null;
        }
      })}
      {metadata?.errorText !== undefined && <p role="alert">{metadata.errorText}</p>}
    </li>
  );
}
