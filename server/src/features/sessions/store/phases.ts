import { phaseNames, type Phase, type PhaseName } from '../schemas/session-schemas.ts';

type PhaseEnd = Pick<Phase, 'summary'> & { status: Exclude<Phase['status'], 'running'>; evidence?: Phase['evidence'] };

/** Returns the phases with one of them started (again), in their order. */
export function beginPhase(phases: readonly Phase[], name: PhaseName, now: Date): Phase[] {
  return withPhase(phases, { name, status: 'running', started_at: now, ended_at: null, summary: '', evidence: [] });
}

/** Returns the phases with one of them ended; if it was not started, it starts now. */
export function endPhase(phases: readonly Phase[], name: PhaseName, end: PhaseEnd, now: Date): Phase[] {
  const begun = phaseNamed(phases, name);
  const started_at = begun?.status === 'running' ? begun.started_at : now;
  const { status, summary, evidence = [] } = end;
  return withPhase(phases, { name, status, started_at, ended_at: now, summary, evidence });
}

/** Returns the phases of an earlier turn that remain valid in a new one: the proof on the base commit. */
export function phasesOfNewTurn(phases: readonly Phase[]): Phase[] {
  return phases.filter(({ name, status }) => name === 'reproduce' && status !== 'running' && status !== 'stopped');
}

export function phaseNamed(phases: readonly Phase[], name: PhaseName): Phase | undefined {
  return phases.find((phase) => phase.name === name);
}

function withPhase(phases: readonly Phase[], changed: Phase): Phase[] {
  return phaseNames.flatMap((name) => {
    const phase = name === changed.name ? changed : phaseNamed(phases, name);
    return phase === undefined ? [] : [phase];
  });
}
