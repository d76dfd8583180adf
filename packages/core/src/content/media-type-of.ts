/** Returns a MIME type without its parameters, in lower case: `image/png` for `Image/PNG; q=1`. */
export function mediaTypeOf(mimeType: string): string {
  return mimeType.split(';')[0]!.trim().toLowerCase();
}
