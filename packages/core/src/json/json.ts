/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An object that JSON can hold. */
export type JsonObject = { [key: string]: Json };
