/** An error answer of Google. */
export class GoogleFailure extends Error {
  readonly code: number;
  readonly status: string;

  constructor(code: number, status: string, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }

  get body(): { code: number; status: string; message: string } {
    return { code: this.code, status: this.status, message: this.message };
  }
}

/** An `INVALID_ARGUMENT` answer. */
export function invalid(message: string): GoogleFailure {
  return new GoogleFailure(400, 'INVALID_ARGUMENT', message);
}

/** A `NOT_FOUND` answer. */
export function missing(name: string): GoogleFailure {
  return new GoogleFailure(404, 'NOT_FOUND', `${name} is not found.`);
}
