import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';

const api = `http://127.0.0.1:${process.env.PORT ?? 8000}/ui/shop/chat`;
const transport = new DefaultChatTransport({ api });

const stream = await transport.sendMessages({
  chatId: 'chat-1',
  trigger: 'submit-message',
  messageId: undefined,
  abortSignal: undefined,
  messages: [{ id: 'message-1', role: 'user', parts: [{ type: 'text', text: 'Where is order 1042?' }] }],
});
let answer: UIMessage | undefined;
for await (const message of readUIMessageStream({ stream })) answer = message;
for (const part of answer?.parts ?? []) {
  if (part.type === 'dynamic-tool') console.log(part.toolName, part.state);
  if (part.type === 'text') console.log(part.text);
}
