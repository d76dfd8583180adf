/** Version of the package. A test compares it with package.json. */
export const version = '0.0.0';
