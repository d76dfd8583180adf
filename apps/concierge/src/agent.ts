import type { Llm, Tool } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { createDateFormat } from './stay.ts';
import { bookRoomTool, cancelBookingTool, listBookingsTool } from './tools/booking-tools.ts';
import { findRoomsTool } from './tools/find-rooms-tool.ts';

/**
 * Creates the concierge agent: it finds, books and cancels rooms, and recalls earlier conversations with memory
 * tools.
 */
export function createAgent(p: {
  llm: Llm;
  memoryTools: readonly Tool[];
  /** Time zone of today's date. */
  timeZone: string;
}): LlmAgent {
  const { llm, memoryTools, timeZone } = p;
  const dateOf = createDateFormat(timeZone);
  return new LlmAgent({
    name: 'concierge',
    description: 'Finds, books and cancels hotel rooms.',
    model: llm,
    instruction: ({ runtime }) => instructionFor(dateOf(runtime.now()), memoryTools.length > 0),
    tools: [findRoomsTool(timeZone), bookRoomTool(timeZone), cancelBookingTool(), listBookingsTool(), ...memoryTools],
  });
}

function instructionFor(today: string, hasMemory: boolean): string {
  const lines = [
    `You are the concierge of a hotel. Today is ${today}.`,
    'Find rooms and book, list and cancel bookings with your tools. Never claim anything that they did not return.',
    'Add wishes that the inventory does not list to the booking, in the words of the guest, and say that you cannot promise them.',
  ];
  if (hasMemory) {
    lines.push(
      'Before you book or suggest a room, call load_memory for what the guest prefers, use it, and say which preference you used.',
      'Only memory and this conversation tell you what the guest prefers. If they tell nothing, say so.',
    );
  }
  return lines.join('\n');
}
