import { cx } from './cx.ts';

export type PhaseState = 'pending' | 'running' | 'passed' | 'failed' | 'skipped';

export interface Notch {
  name: string;
  state: PhaseState;
}

const words: Record<PhaseState, string> = {
  pending: 'not begun',
  running: 'in progress',
  passed: 'done',
  failed: 'failed',
  skipped: 'skipped',
};

/** Four joined notches: reproduce, implement, verify, deliver. */
export function PhaseRail({ notches, size = 8 }: { notches: readonly Notch[]; size?: 8 | 14 }) {
  const step = size * 2;
  const radius = size / 2;
  const label = notches.map(({ name, state }) => `${name} ${words[state]}`).join(', ');
  return (
    <svg
      role="img"
      aria-label={label}
      width={step * (notches.length - 1) + size + 2}
      height={size + 2}
      viewBox={`-1 -1 ${step * (notches.length - 1) + size + 2} ${size + 2}`}
      className="shrink-0"
    >
      {notches.slice(1).map(({ name, state }, at) => (
        <line
          key={name}
          x1={at * step + size}
          x2={(at + 1) * step}
          y1={radius}
          y2={radius}
          className={cx('stroke-[1.5]', state === 'pending' ? 'stroke-line' : 'stroke-ink-3')}
        />
      ))}
      {notches.map(({ name, state }, at) => (
        <Mark key={name} state={state} center={at * step + radius} radius={radius} />
      ))}
    </svg>
  );
}

function Mark({ state, center, radius }: { state: PhaseState; center: number; radius: number }) {
  const inner = radius * 0.6;
  switch (state) {
    case 'passed':
      return <circle cx={center} cy={radius} r={radius} className="fill-ink-2" />;
    case 'running':
      return (
        <>
          <circle cx={center} cy={radius} r={radius - 0.75} className="fill-none stroke-run stroke-[1.5]" />
          <path d={`M ${center} 0 A ${radius} ${radius} 0 0 1 ${center} ${radius * 2} Z`} className="fill-run" />
        </>
      );
    case 'failed':
      return (
        <path
          d={`M ${center - inner} ${radius - inner} l ${inner * 2} ${inner * 2} m 0 ${-inner * 2} l ${-inner * 2} ${inner * 2}`}
          className="fill-none stroke-bad stroke-2"
        />
      );
    case 'skipped':
      return (
        <path d={`M ${center - inner} ${radius} h ${inner * 2}`} className="fill-none stroke-ink-3 stroke-[1.5]" />
      );
    case 'pending':
      return <circle cx={center} cy={radius} r={radius - 0.75} className="fill-none stroke-line-strong stroke-[1.5]" />;
  }
}
