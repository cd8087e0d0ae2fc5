/** Says that a session stopped after what the person has read. */
export function UnreadDot() {
  return (
    <span className="size-2 shrink-0 rounded-full bg-accent" title="Unread">
      <span className="sr-only">Unread</span>
    </span>
  );
}
