import type { SessionEvent } from '@guildhall/client';
import type { Session } from '../../../../lib/api.ts';
import { count, money } from '../../../../lib/format.ts';

export interface Amounts {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  cost_usd: number;
}

type Call = Pick<Extract<SessionEvent, { kind: 'usage' }>, 'turn' | 'data'>;

/** Returns what each turn used. */
export function turnsOf(calls: readonly Call[]): (Amounts & { turn: number })[] {
  const turns = Map.groupBy(calls, ({ turn }) => turn);
  return [...turns].map(([turn, list]) => {
    const sum = (of: (amounts: Amounts) => number) => list.reduce((total, { data }) => total + of(data), 0);
    return {
      turn,
      input_tokens: sum((one) => one.input_tokens),
      output_tokens: sum((one) => one.output_tokens),
      cached_input_tokens: sum((one) => one.cached_input_tokens),
      cost_usd: sum((one) => one.cost_usd),
    };
  });
}

/** Returns the limits that a session has, and how much of each is used. */
export function limitsOf({ budget, usage }: Pick<Session, 'budget' | 'usage'>, turns: number) {
  const limits: { name: string; used: string; allowed: string; share: number }[] = [];
  const add = (name: string, used: number, allowed: number | undefined | null, write: (value: number) => string) => {
    if (typeof allowed !== 'number') return;
    const share = allowed === 0 ? 1 : Math.min(1, used / allowed);
    limits.push({ name, used: write(used), allowed: write(allowed), share });
  };
  const whole = (value: number) => count(Math.round(value * 10) / 10);
  add('Cost', usage.cost_usd, budget.max_cost_usd, money);
  add('Tokens', usage.input_tokens + usage.output_tokens, budget.max_tokens, whole);
  add('Minutes', usage.sandbox_seconds / 60, budget.max_minutes, whole);
  add('Turns', turns, budget.max_turns, whole);
  return limits;
}
