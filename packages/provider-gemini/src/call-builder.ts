import { isPlainObject } from '@thole/core/kit';
import type { FunctionCall, Json, JsonObject, Part } from '@thole/core';
import { fromGeminiPart } from './from-gemini-part.ts';
import { PartialArgs } from './partial-args.ts';

/** Builds a function call from one complete piece or several pieces. */
export class CallBuilder {
  /** The call's part. A later piece may add the signature. */
  readonly #part: { [key: string]: unknown };
  readonly #call: { [key: string]: unknown };
  #pieces: PartialArgs | undefined;
  #willContinue: boolean;

  constructor(part: { readonly [key: string]: unknown }, call: { readonly [key: string]: unknown }) {
    this.#part = { ...part };
    this.#call = { ...call };
    this.#willContinue = call['willContinue'] === true;
    this.#addPieces(call);
  }

  /** Adds a piece. Returns false if it belongs to another call. */
  add(part: { readonly [key: string]: unknown }, call: { readonly [key: string]: unknown }): boolean {
    const isNamed = typeof call['name'] === 'string' && call['name'] !== '';
    const isSame = call['id'] !== undefined && call['id'] === this.#call['id'];
    if (!this.#willContinue || (isNamed && !isSame)) return false;
    Object.assign(this.#part, part);
    if (isPlainObject(call['args'])) this.#call['args'] = { ...(this.#call['args'] as JsonObject), ...call['args'] };
    this.#willContinue = call['willContinue'] === true;
    this.#addPieces(call);
    return true;
  }

  toPart(endpoint: string): Part {
    return fromGeminiPart(this.#part, endpoint, this.#toCall());
  }

  #toCall(): FunctionCall {
    const { partialArgs: _, willContinue: __, id, name, args, ...rest } = this.#call;
    return {
      ...(typeof id === 'string' && id !== '' && { id }),
      name: typeof name === 'string' ? name : '',
      ...(rest as object),
      ...this.#args(args),
    };
  }

  #args(args: unknown): Pick<FunctionCall, 'args' | 'brokenArgs'> {
    const pieces = this.#pieces?.toArgs(this.#willContinue);
    if (args === undefined || args === null || args === '') return pieces ?? toArgs({}, this.#willContinue);
    if (!isPlainObject(args)) return { args: {}, brokenArgs: typeof args === 'string' ? args : JSON.stringify(args) };
    if (!pieces) return toArgs(args as JsonObject, this.#willContinue);
    return { ...pieces, args: { ...(args as JsonObject), ...pieces.args } };
  }

  #addPieces(call: { readonly [key: string]: unknown }): void {
    if (!Array.isArray(call['partialArgs'])) return;
    this.#pieces ??= new PartialArgs();
    for (const piece of call['partialArgs']) this.#pieces.add(piece);
  }
}

/** True if a piece only marks the end of the call before it. */
export function isEndMarker(call: { readonly [key: string]: unknown }): boolean {
  return !call['name'] && !call['id'] && call['args'] === undefined && !call['partialArgs'] && !call['willContinue'];
}

function toArgs(args: JsonObject, isCutOff: boolean): { args: JsonObject; brokenArgs?: string } {
  return isCutOff ? { args: {}, brokenArgs: JSON.stringify(args satisfies Json) } : { args };
}
