/** How much of a limit is taken: a bar from 0 to 1. Amber from 80 %, red when nothing is left. */
export function Meter({ label, share, text }: { label: string; share: number; text: string }) {
  const color = share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-wait' : 'bg-accent';
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={text}
      className="h-2 overflow-hidden rounded-chip border border-line bg-sunken"
    >
      <div className={`h-full ${color}`} style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
    </div>
  );
}
