import type { Tool } from '@thole/core';
import { FunctionTool, LongRunningFunctionTool, preloadMemoryTool } from '@thole/tools';

/** Returns the tools of the concierge. `call_taxi` returns when `taxi` resolves. */
export function hotelTools(taxi: Promise<void>): Tool[] {
  return [
    new FunctionTool({
      name: 'book_room',
      description: 'Books a room.',
      parameters: {
        type: 'object',
        properties: { room: { type: 'number' }, nights: { type: 'number' } },
        required: ['room', 'nights'],
      },
      async execute(args, context) {
        const { room, nights } = args as { room: number; nights: number };
        context.state.set('last_room', room);
        context.state.set('user:likes', ['high floor', 'quiet']);
        await context.saveArtifact('booking.txt', { text: `Room ${room}, ${nights} nights.` });
        return { booked: true, room, nights };
      },
    }),
    new FunctionTool({
      name: 'call_taxi',
      description: 'Calls a taxi.',
      parameters: { type: 'object', properties: {} },
      async execute() {
        await taxi;
        return { comes: true };
      },
    }),
    new LongRunningFunctionTool({
      name: 'ask_manager',
      description: 'Asks the manager.',
      parameters: { type: 'object', properties: { question: { type: 'string' } } },
      execute: () => ({ status: 'pending' }),
    }),
    preloadMemoryTool(),
  ];
}
