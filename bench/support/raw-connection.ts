import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** An HTTP connection with little overhead: it sends one request at a time, and reads a response only to find its end. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #text = '';
  #isChunked = false;
  #bodyAt = -1;
  #length = 0;
  #onEnd: (() => void) | undefined;
  #onFirstByte: (() => void) | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => this.#read(chunk as unknown as string));
    socket.on('error', () => {});
  }

  static open(url: string): Promise<RawConnection> {
    const { hostname, port, host } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new RawConnection(socket, host)));
      socket.once('error', reject);
    });
  }

  /** Resolves when the response is complete. `onFirstByte` is called at the first byte of the body. */
  post(path: string, body: string, onFirstByte?: () => void): Promise<void> {
    this.#text = '';
    this.#bodyAt = -1;
    this.#onFirstByte = onFirstByte;
    this.send(path, body);
    return new Promise((resolve) => (this.#onEnd = resolve));
  }

  send(path: string, body: string): void {
    const head = `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    this.#socket.write(head + body);
  }

  /** Stops reading. */
  pause(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    if (this.#bodyAt < 0) {
      const end = this.#text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#text.slice(0, end).toLowerCase();
      if (!head.startsWith('http/1.1 200')) throw new Error(this.#text);
      this.#bodyAt = end + 4;
      this.#isChunked = head.includes('transfer-encoding: chunked');
      this.#length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    }
    if (this.#onFirstByte && this.#text.length > this.#bodyAt) {
      this.#onFirstByte();
      this.#onFirstByte = undefined;
    }
    const bodyLength = this.#text.length - this.#bodyAt;
    const isComplete = this.#isChunked ? this.#text.endsWith('0\r\n\r\n') : bodyLength >= this.#length;
    if (isComplete) this.#onEnd?.();
  }
}
