import { connect } from 'node:net';

/**
 * Sends raw bytes to a server. Returns all received data when the server closes the connection, or after `ms` milliseconds.
 * `then` is sent after the first response data.
 */
export function rawRequest(url: string, text: string | Uint8Array, ms = 3_000, then?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on('data', (chunk) => {
      if (answer === '' && then !== undefined) socket.write(then);
      answer += chunk.toString('latin1');
    });
    socket.on('error', (error: Error & { code?: string }) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

/** Returns status and JSON of the last response in raw data. */
export function readAnswer(answer: string): { status: number; body: { detail?: string } } {
  const last = answer.slice(answer.lastIndexOf('HTTP/1.1 '));
  const text = last.slice(last.indexOf('\r\n\r\n') + 4);
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return { status: Number(last.slice(9, 12)), body: JSON.parse(json || '{}') as { detail?: string } };
}

/** Sends a complete request before it reads. Returns the response after the server was silent for 500 ms. */
export function sendAllThenRead(url: string, text: string): Promise<{ answer: string; error: string | undefined }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    let error: string | undefined;
    const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.resume()));
    socket.pause();
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      setTimeout(() => socket.destroy(), 500);
    });
    socket.on('error', (thrown: Error & { code?: string }) => (error = thrown.code));
    socket.on('close', () => resolve({ answer, error }));
  });
}
