import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import type { ChatInit, ChatState, ChatStatus, LanguageModelUsage, UIMessage } from 'ai';
import type { Handler } from '../../src/index.ts';

/** A message with the metadata of Thole. */
export type PageMessage = UIMessage<{
  invocationId?: string;
  status?: string;
  errorText?: string;
  totalUsage?: LanguageModelUsage;
}>;

/** The chat of a page, without React. It sends requests to a handler with the AI SDK's transport. */
export class PageChat extends AbstractChat<PageMessage> {
  /** All bodies that the page has sent. */
  readonly sent: { messages: PageMessage[]; messageId?: string; trigger: string }[];

  constructor(
    handler: Handler | typeof fetch,
    p: Partial<ChatInit<PageMessage>> & { origin?: string; headers?: Record<string, string> } = {},
  ) {
    const { origin = 'http://localhost', headers, messages, ...init } = p;
    const sent: PageChat['sent'] = [];
    const transport = new DefaultChatTransport<PageMessage>({
      api: `${origin}/ui/demo/chat?userId=ann`,
      ...(headers && { headers }),
      fetch: async (input, request) => {
        if (request?.body) sent.push(JSON.parse(request.body as string) as (typeof sent)[number]);
        return (handler as typeof fetch)(new Request(input as string, request));
      },
    });
    const state = new PlainState(messages ?? []);
    super({
      ...{ id: 's', transport, state, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses },
      ...init,
    });
    this.sent = sent;
  }

  /** The parts of the last message without `step-start`. */
  get lastParts(): PageMessage['parts'] {
    return this.plainParts.filter(({ type }) => type !== 'step-start');
  }

  /** The parts of the last message as JSON. */
  get plainParts(): PageMessage['parts'] {
    return JSON.parse(JSON.stringify(this.lastMessage?.parts ?? [])) as PageMessage['parts'];
  }

  /** The text of the last message. */
  get lastText(): string {
    return this.lastParts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }
}

class PlainState implements ChatState<PageMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined = undefined;
  messages: PageMessage[];

  constructor(messages: PageMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: PageMessage): void => void (this.messages = [...this.messages, message]);
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index: number, message: PageMessage): void =>
    void (this.messages = this.messages.with(index, structuredClone(message)));
  snapshot = <T>(value: T): T => structuredClone(value);
}

/** Returns the messages that a page receives after a reload. */
export async function loadMessages(handler: Handler, chat: string = '/ui/demo/chat/s'): Promise<PageMessage[]> {
  const response = await handler(new Request(`http://localhost${chat}/messages?userId=ann`));
  return ((await response.json()) as { messages: PageMessage[] }).messages;
}
