/** True for a key of an input method, such as the Enter that ends its input. Safari marks this key only with the code 229. */
export function isComposing(key: KeyboardEvent): boolean {
  return key.isComposing || key.keyCode === 229;
}
