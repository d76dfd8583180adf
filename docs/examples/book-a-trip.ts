import { DatabaseSessionService } from '@thole/sql-services';
import { FunctionTool, isFinalResponse, LlmAgent, Runner, textOf, type Llm, type Part } from 'thole';
import { z } from 'zod';

const [command] = process.argv.slice(2);
const trip = { userId: 'ada', sessionId: 'trip-1' };

const reserveFlight = new FunctionTool({
  name: 'reserve_flight',
  description: 'Reserves a flight.',
  parameters: z.object({ to: z.string() }),
  execute: ({ to }) => {
    console.log(`The flight to ${to} is reserved.`);
    return { flight: 'TP 1042', price: 180 };
  },
});

const bookHotel = new FunctionTool({
  name: 'book_hotel',
  description: 'Books a hotel.',
  parameters: z.object({ city: z.string() }),
  // After a crash the call runs again with the same key, which a real hotel uses to find the booking.
  idempotent: true,
  execute: ({ city }, { idempotencyKey }) => {
    console.log(`Booking a hotel in ${city} with a key of ${idempotencyKey.length} characters.`);
    if (command === 'start') process.kill(process.pid, 'SIGKILL');
    return { hotel: 'Sol', price: 320 };
  },
});

const pay = new FunctionTool({
  name: 'pay',
  description: 'Pays for the trip.',
  parameters: z.object({ amount: z.number() }),
  requireConfirmation: true,
  execute: ({ amount }) => {
    console.log(`Paid ${amount} euros.`);
    return { paid: amount };
  },
});

/** Not a language model: it makes these calls one after another. */
const plan: Part[] = [
  { functionCall: { name: 'reserve_flight', args: { to: 'Lisbon' } } },
  { functionCall: { name: 'book_hotel', args: { city: 'Lisbon' } } },
  { functionCall: { name: 'pay', args: { amount: 500 } } },
  { text: 'Your trip to Lisbon is booked.' },
];
const model: Llm = {
  model: 'demo',
  specVersion: 1,
  async *generateContentAsync({ contents }) {
    const answers = contents.filter(({ role }) => role === 'model').length;
    yield { content: { role: 'model', parts: [plan[answers]!] }, finishReason: 'STOP' };
  },
};

const agent = new LlmAgent({ name: 'agency', model, tools: [reserveFlight, bookHotel, pay] });
const sessionService = new DatabaseSessionService('sqlite:///./trips.db');
const runner = new Runner({ appName: 'trips', agent, sessionService, autoCreateSession: true });

if (command === 'start') await runner.runToCompletion({ ...trip, newMessage: 'Book a trip to Lisbon.' });
if (command === 'recover') for await (const { outcome } of runner.recover()) console.log('The run is', outcome);
const [request] = await runner.pendingInterrupts(trip);
if (command === 'recover') console.log(request?.message, request?.args);
if (command === 'approve') {
  const answers = { [request!.id]: { confirmed: true } };
  for await (const event of runner.resume({ ...trip, answers }))
    if (isFinalResponse(event)) console.log(textOf(event.content));
}
await runner.close();
await sessionService.close();
