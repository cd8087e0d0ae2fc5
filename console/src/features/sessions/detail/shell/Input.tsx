import { useLayoutEffect, useState, type ClipboardEvent, type KeyboardEvent, type RefObject } from 'react';
import { toast } from '../../../../ui/toasts.ts';
import { bytesOf } from './bytes.ts';
import { mostPastedBytes, type Shell } from './shell.ts';
import { inset, rowHeight } from './useGrid.ts';

interface Props {
  shell: Shell;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Where the cursor is: what a person composes stands there. */
  place: { x: number; y: number };
  cellWidth: number;
  describedBy: string;
  leave: () => void;
  /** A page up is -1, a page down 1. */
  scroll: (pages: number) => void;
  /** Something was typed. */
  typed: () => void;
  setFocus: (has: boolean) => void;
}

/**
 * The field that a person types into. Keys that a field has no text for are typed at once; the rest is what the field then
 * has, so dead keys, AltGr, composed characters and the keyboards of phones work.
 */
export function Input({ shell, field, place, cellWidth, describedBy, leave, scroll, typed, setFocus }: Props) {
  const [isComposing, setComposing] = useState(false);
  useLayoutEffect(() => {
    // Only to a shell that the person has just asked for: one that stands in a tab lets the keyboard pass.
    if (shell.wantsFocus) field.current?.focus({ preventScroll: true });
    shell.wantsFocus = false;
    const { current } = field;
    return () => {
      // The page may be drawn anew around it, such as in another width.
      if (document.activeElement === current) shell.wantsFocus = true;
    };
  }, [shell, field]);
  const take = () => {
    const { current } = field;
    if (current === null || current.value === '') return;
    shell.type(current.value.replaceAll('\n', '\r'));
    current.value = '';
    typed();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, nativeEvent } = event;
    // What is composed belongs to the field until it is done.
    if (nativeEvent.isComposing || key === 'Process' || event.getModifierState('AltGraph')) return;
    const isPage = shiftKey && (key === 'PageUp' || key === 'PageDown');
    const bytes = bytesOf(event, shell.terminal?.modes.applicationCursorKeysMode === true);
    if (shiftKey && key === 'Escape') leave();
    else if (isPage) scroll(key === 'PageUp' ? -1 : 1);
    else if (isOfBrowser(event) || bytes === undefined) return;
    else {
      shell.type(bytes);
      typed();
    }
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    const text = event.clipboardData.getData('text/plain');
    if (text === '') return;
    if (shell.paste(text)) typed();
    else if (text.length > mostPastedBytes)
      toast('At most 1 MB can be pasted here. Attach a file to a message instead.', 'bad');
  };
  return (
    <textarea
      ref={field}
      aria-label="Shell"
      aria-describedby={describedBy}
      autoCapitalize="off"
      autoComplete="off"
      autoCorrect="off"
      spellCheck={false}
      rows={1}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      onInput={({ nativeEvent }) => {
        if (!(nativeEvent instanceof InputEvent && nativeEvent.isComposing)) take();
      }}
      onCompositionStart={() => setComposing(true)}
      onCompositionEnd={() => {
        setComposing(false);
        take();
      }}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
      className={
        isComposing
          ? 'absolute h-4 w-40 resize-none bg-surface text-ink underline outline-none'
          : 'absolute h-4 w-4 resize-none overflow-hidden opacity-0 outline-none'
      }
      style={{ left: inset + place.x * cellWidth, top: inset + place.y * rowHeight }}
    />
  );
}

/** Keys with which a browser copies and pastes, zooms and reloads. */
function isOfBrowser({ key, ctrlKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey && shiftKey) return true;
  if (shiftKey && key === 'Insert') return true;
  return ctrlKey && ['v', '+', '-', '=', '0', 'Insert'].includes(key);
}
