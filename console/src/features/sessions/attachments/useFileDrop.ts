import { useState, type ClipboardEvent, type DragEvent } from 'react';

/**
 * Takes files that are dropped on an element or pasted into its field. `add` is undefined for who may not upload; text
 * is then pasted as ever.
 */
export function useFileDrop(add: ((files: File[]) => void) | undefined) {
  const [isOver, setOver] = useState(false);
  const take = (event: ClipboardEvent | DragEvent, files: FileList) => {
    if (add === undefined || files.length === 0) return;
    event.preventDefault();
    add([...files]);
  };
  return {
    isOver,
    onPaste: (event: ClipboardEvent) => take(event, event.clipboardData.files),
    target: {
      onDragOver: (event: DragEvent) => {
        if (add === undefined || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        take(event, event.dataTransfer.files);
      },
    },
  };
}
