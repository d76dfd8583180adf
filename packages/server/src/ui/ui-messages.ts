import { applyRewinds, isClosingRecord } from '@thole/core/kit';
import type { Event, JsonObject, Part } from '@thole/core';
import { clipMessage } from '../http/clip-message.ts';
import { fileChunk } from './file-chunk.ts';
import { foldChunks } from './fold-chunks.ts';
import { TotalUsage } from './total-usage.ts';
import type { UiChunk, UiMessage, UiMetadata } from './ui-chunk.ts';
import { UiChunks } from './ui-chunks.ts';
import { isAbort } from './ui-encoder.ts';

/**
 * Returns a session as messages of the AI SDK, oldest first. The answers of the active invocation are left out, because its
 * stream contains them from the start.
 */
export function toUiMessages(events: readonly Event[], activeInvocationId?: string): UiMessage[] {
  const messages: (UiMessage | Draft)[] = [];
  /** The latest answer of each invocation. */
  const drafts = new Map<string, Draft>();
  for (const event of applyRewinds(events)) {
    const { invocationId } = event;
    const parts = event.author === 'user' ? userParts(event) : [];
    if (parts.length > 0) {
      messages.push({ id: uiMessageIdOf(event), role: 'user', parts });
      const draft = drafts.get(invocationId);
      if (draft) draft.isEnded = true;
    } else if (invocationId !== activeInvocationId) {
      let draft = drafts.get(invocationId);
      if (!draft || (draft.isEnded && event.author !== 'user')) {
        draft = nextDraft(invocationId, draft);
        drafts.set(invocationId, draft);
        messages.push(draft);
      }
      draft.usage.add(event);
      for (const chunk of draft.chunks.add(event)) addChunk(draft, chunk);
      if (isClosingRecord(event) && !isAbort(event.errorCode!))
        draft.metadata.errorText = clipMessage(event.errorMessage ?? 'The run failed.');
    }
  }
  return messages.map((each) => ('writtenChunks' in each ? toMessage(each) : each)).filter(hasContent);
}

/** Returns the id that the page uses for a message. It differs from the event id if the message was answered again. */
export function uiMessageIdOf({ id, customMetadata }: Event): string {
  const uiMessageId = customMetadata?.['uiMessageId'];
  return typeof uiMessageId === 'string' ? uiMessageId : id;
}

/** Returns the texts and files of a user's message. Empty for an event with answers only. */
function userParts({ content }: Event): JsonObject[] {
  return (content?.parts ?? []).flatMap((part): JsonObject[] => {
    if (part.text !== undefined) return [{ type: 'text', text: part.text, state: 'done' }];
    const file = fileChunk(part);
    if (!file) return [];
    const filename = nameOf(part);
    return [{ ...file, ...(filename !== undefined && { filename }) }];
  });
}

const nameOf = ({ fileData, inlineData }: Part): string | undefined => inlineData?.displayName ?? fileData?.displayName;

/** An assistant message whose events are being read. */
interface Draft {
  /** Number of the answer in its invocation, from 1. An invocation has several answers if further messages joined its run. */
  readonly answerNumber: number;
  readonly chunks: UiChunks;
  /** The answers of the invocation that contain tool calls and requests to a person, by id. */
  readonly owners: Map<string, Draft>;
  readonly usage: TotalUsage;
  readonly writtenChunks: UiChunk[];
  readonly metadata: UiMetadata & { invocationId: string };
  isEnded: boolean;
}

/** Returns the next answer of an invocation. `previous` is undefined for the first answer. */
function nextDraft(invocationId: string, previous: Draft | undefined): Draft {
  const { answerNumber = 0, chunks = new UiChunks(), owners = new Map() } = previous ?? {};
  return {
    answerNumber: answerNumber + 1,
    chunks,
    owners,
    usage: new TotalUsage(),
    writtenChunks: [],
    metadata: { invocationId },
    isEnded: false,
  };
}

/** Adds a chunk to an answer. A chunk of an earlier call or request belongs to its answer, also if a message has joined since. */
function addChunk(draft: Draft, chunk: UiChunk): void {
  const ids = [
    ...('toolCallId' in chunk ? [chunk.toolCallId] : []),
    ...('approvalId' in chunk ? [chunk.approvalId] : []),
    ...(chunk.type === 'data-interrupt' ? [chunk.id] : []),
  ];
  const isCall = chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error';
  const owner = (!isCall && ids.map((id) => draft.owners.get(id)).find((each) => each !== undefined)) || draft;
  for (const id of ids) draft.owners.set(id, owner);
  owner.writtenChunks.push(chunk);
}

function toMessage({ answerNumber, writtenChunks, usage, metadata }: Draft): UiMessage {
  const id = answerNumber === 1 ? metadata.invocationId : `${metadata.invocationId}:${answerNumber}`;
  return { id, role: 'assistant', metadata: { ...metadata, ...usage.toMetadata() }, parts: foldChunks(writtenChunks) };
}

function hasContent({ metadata, parts }: UiMessage): boolean {
  return metadata?.errorText !== undefined || parts.some((part) => part['type'] !== 'step-start');
}
