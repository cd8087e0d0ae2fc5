import { money } from '../lib/format.ts';

/** An amount in US dollars, exact in its tooltip. */
export function Money({ usd }: { usd: number }) {
  return (
    <span className="mono whitespace-nowrap" title={`$${usd}`}>
      {money(usd)}
    </span>
  );
}
