import { count, type Check } from './check.ts';
import type { Conversations } from './check-models.ts';
import type { Repeats } from './check-sessions.ts';
import type { Spread } from './recovery.ts';
import type { Round } from './rounds.ts';

/** An observation that no rule judges. */
export interface Fact {
  what: string;
  figure: string;
}

/** Formats the final table: each check with its mark, then the facts. */
export function tableOf(checks: readonly Check[], facts: readonly Fact[]): string {
  const width = Math.max(...[...checks, ...facts].map(({ what }) => what.length));
  const figures = Math.max(...[...checks, ...facts].map(({ figure }) => figure.length));
  const line = (mark: string, { what, figure }: Fact): string =>
    `${mark} ${what.padEnd(width)}  ${figure.padStart(figures)}`;
  return [
    ...checks.map((check) => line(check.violations.length === 0 ? '✓' : '✗', check)),
    ...facts.map((fact) => line(' ', fact)),
  ].join('\n');
}

/** Returns the number of kills, and the affected sessions. */
export function factsOfRounds(rounds: readonly Round[]): Fact[] {
  const kills = (name: string): number =>
    rounds.filter(({ killed }) => killed.some((one) => one.startsWith(name))).length;
  const met = rounds.filter(({ hits }) => hits.length > 0);
  const hits = rounds.flatMap((round) => round.hits);
  const phases = new Map<string, number>();
  for (const { phase } of hits) phases.set(phase, (phases.get(phase) ?? 0) + 1);
  return [
    {
      what: 'kills of workers, PostgreSQL, the API',
      figure: `${kills('worker')}, ${kills('postgres')}, ${kills('api')}`,
    },
    { what: 'kills that met a worker with sessions', figure: `${met.length}, ${count(hits.length, 'session')}` },
    ...[...phases]
      .sort(([, a], [, b]) => b - a)
      .map(([phase, times]) => ({ what: `  sessions met in ${phase}`, figure: String(times) })),
  ];
}

export function factsOfRecovery({ undisturbed, ready, all }: Record<'undisturbed' | 'ready' | 'all', Spread>): Fact[] {
  const text = ({ p50, p99, max }: Spread): string =>
    `p50 ${p50.toFixed(1)} s, p99 ${p99.toFixed(1)} s, max ${max.toFixed(1)} s`;
  return [
    { what: `kill to next event, other worker up (${undisturbed.count})`, figure: text(undisturbed) },
    { what: `kill to a restored sandbox, other worker up (${ready.count})`, figure: text(ready) },
    { what: `kill to next event, over further kills too (${all.count})`, figure: text(all) },
  ];
}

export function factsOfSteps({ steps, effects, results }: Repeats): Fact[] {
  return [
    {
      what: `script steps that ran again although their effect was kept, of ${steps.toLocaleString('en')}`,
      figure: String(effects),
    },
    { what: 'script steps whose result was shown again', figure: String(results) },
  ];
}

export function factsOfConversations({ results, lost, restored, feedback }: Conversations): Fact[] {
  return [
    {
      what: `tool calls of the built-in agent whose end was lost, of ${results.toLocaleString('en')}`,
      figure: String(lost),
    },
    { what: 'times its model was told that files may be older than its results', figure: String(restored) },
    { what: 'times the check sent it back for what was missing', figure: String(feedback) },
  ];
}
