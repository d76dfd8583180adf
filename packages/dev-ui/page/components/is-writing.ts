/** True if a field with text has the focus: the user may be writing in it. */
export function isWriting(): boolean {
  const { activeElement: element } = document;
  return (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) && element.value !== '';
}
