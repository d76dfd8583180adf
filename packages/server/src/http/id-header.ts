/** Returns a response header with an id. Empty if the id has characters that a header cannot contain. */
export function idHeader(name: string, id: string): Record<string, string> {
  return /^[!-~]+$/.test(id) ? { [name]: id } : {};
}
