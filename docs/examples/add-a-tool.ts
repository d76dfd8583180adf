import { InMemoryRunner } from 'thole';
import { createClerk } from './clerk.ts';

const runner = new InMemoryRunner({ agent: createClerk() });

for await (const event of runner.runAsync({ userId: 'ada', newMessage: 'Where is order 1042?' })) {
  for (const { text, functionCall, functionResponse } of event.content?.parts ?? []) {
    if (functionCall) console.log('call:', functionCall.name, functionCall.args);
    if (functionResponse) console.log('result:', functionResponse.response);
    if (text) console.log('answer:', text);
  }
}
await runner.close();
