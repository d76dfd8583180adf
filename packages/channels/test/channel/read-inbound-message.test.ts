import { describe, expect, it } from 'vitest';
import { readInboundMessage } from '../../src/channel/read-inbound-message.ts';

describe('readInboundMessage', () => {
  it('removes characters that change the direction of text from the names of senders and files', () => {
    const file = { mimeType: 'application/pdf', data: 'AAAA', name: 'invoice\u202efdp.exe' };
    const message = {
      channel: 'http',
      sender: 's',
      id: '1',
      text: 'Hi',
      senderName: 'Ann\u2066 \u200f(42)',
      files: [file],
    };
    expect(readInboundMessage(message, { maxTextLength: 100, maxFileBytes: 100 })).toMatchObject({
      senderName: 'Ann (42)',
      files: [{ name: 'invoicefdp.exe' }],
    });
  });
});
