import type { Llm, MemoryService } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { Concierge } from '../src/concierge.ts';
import { DemoLlm } from '../src/demo-llm.ts';
import { Chat } from '../src/terminal/chat.ts';

export interface ChatUnderTest {
  chat: Chat;
  concierge: Concierge;
  /** Handles lines one after the other; answers what was written meanwhile. */
  type(...lines: string[]): Promise<string>;
  runtime: FixedRuntime;
}

/** The chat over services in this process, with the demo model unless another is given. */
export function chatWith(
  p: {
    llm?: Llm | undefined;
    memory?: boolean | undefined;
    memoryService?: MemoryService | undefined;
    streaming?: boolean | undefined;
  } = {},
): ChatUnderTest {
  const { memory = true, streaming = true } = p;
  const runtime = new FixedRuntime();
  const memoryService = memory ? (p.memoryService ?? new InMemoryMemoryService({ runtime })) : undefined;
  const concierge = new Concierge({
    guest: 'alice',
    services: { sessionService: new InMemorySessionService({ runtime }), memoryService },
    model: { llm: p.llm ?? new DemoLlm({ runtime }), notice: 'A test is speaking.' },
    streaming,
    runtime,
  });
  let output = '';
  const chat = new Chat({ concierge, write: (text) => void (output += text) });
  return {
    chat,
    concierge,
    runtime,
    async type(...lines) {
      output = '';
      for (const line of lines) await chat.handle(line);
      return output;
    },
  };
}
