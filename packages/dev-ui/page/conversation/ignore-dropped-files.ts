/** Ignores files that are dropped next to the message box. Without this, the browser leaves the page and opens the file. */
export function ignoreDroppedFiles(): void {
  const ignore = (drag: DragEvent): void => {
    if (drag.defaultPrevented || !drag.dataTransfer?.types.includes('Files')) return;
    drag.preventDefault();
    drag.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', ignore);
  addEventListener('drop', ignore);
}
