const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  map: 'application/json',
  md: 'text/plain; charset=utf-8',
};

/** Returns the content type of a file of the page by its extension. */
export function contentTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return Object.hasOwn(types, extension) ? types[extension]! : 'application/octet-stream';
}
