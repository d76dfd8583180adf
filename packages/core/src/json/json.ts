/**
 * A JSON value. Declare your own object types with `type`: TypeScript does not accept an `interface` here, because it has
 * no index signature.
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };
