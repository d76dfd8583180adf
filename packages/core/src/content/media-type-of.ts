/** Returns a MIME type without its parameters, in lower case: `image/png` for `Image/PNG; q=1`. */
export function mediaTypeOf(mimeType: string): string {
  return mimeType.split(';')[0]!.trim().toLowerCase();
}

const OTHER_TEXTS = /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|csv|javascript|jsonl|sql|toml|x-ndjson|x-yaml)$/;

/** True for the type of a text file: `text/…`, JSON, XML, YAML, CSV, JavaScript, SQL and TOML. `type` is without parameters. */
export function isTextType(type: string): boolean {
  return type.startsWith('text/') || OTHER_TEXTS.test(type);
}
