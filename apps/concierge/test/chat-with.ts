import { plainStyle } from '@thole/cli/terminal';
import type { Llm, SessionService } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { Concierge } from '../src/concierge.ts';
import { DemoLlm } from '../demo-model/demo-llm.ts';
import { toStoredFact } from '../demo-model/to-stored-fact.ts';
import { createServices } from '../src/services.ts';
import type { Services } from '../src/services.ts';
import { Chat } from '../src/terminal/chat.ts';

/** A chat whose output is recorded. */
export interface ChatUnderTest {
  chat: Chat;
  concierge: Concierge;
  services: Services;
  /** Handles lines one after the other and returns the text that was written. */
  type(...lines: string[]): Promise<string>;
  runtime: FixedRuntime;
}

/** Creates a chat over services in this process. Default: with the demo model and without facts. */
export function chatWith(
  p: {
    llm?: Llm | undefined;
    facts?: boolean | undefined;
    memory?: boolean | undefined;
    memoryService?: InMemoryMemoryService | undefined;
    sessionService?: SessionService | undefined;
    runtime?: FixedRuntime | undefined;
    streaming?: boolean | undefined;
    timeZone?: string | undefined;
  } = {},
): ChatUnderTest {
  const { memory = true, streaming = true, runtime = new FixedRuntime(), timeZone = 'UTC' } = p;
  const memoryService = memory ? (p.memoryService ?? new InMemoryMemoryService({ runtime })) : undefined;
  const wordNote = p.facts === true ? (fact: string) => fact : toStoredFact;
  const model = {
    llm: p.llm ?? new DemoLlm({ runtime }),
    isDemo: p.facts !== true,
    wordNote,
    notice: 'The model is a test model.',
  };
  const sessionService = p.sessionService ?? new InMemorySessionService({ runtime });
  const services = createServices({ sessionService, memoryService, model, runtime, timeZone });
  const concierge = new Concierge({ guest: 'alice', services, model, streaming, runtime });
  let output = '';
  const chat = new Chat({ concierge, verbose: false, style: plainStyle, write: (text) => void (output += text) });
  return {
    chat,
    concierge,
    services,
    runtime,
    async type(...lines) {
      output = '';
      for (const line of lines) await chat.handle(line);
      return output;
    },
  };
}
