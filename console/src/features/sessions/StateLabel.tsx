import { Ban, Check, CircleDashed, CirclePause, Clock, Hand, Loader, X, type LucideIcon } from 'lucide-react';
import type { Session } from '../../lib/api.ts';
import { cx } from '../../ui/cx.ts';
import { stateOf, type Tone } from './state.ts';

const colors: Record<Tone, string> = {
  ok: 'text-ok',
  wait: 'text-wait',
  bad: 'text-bad',
  run: 'text-run',
  plain: 'text-ink-2',
};

const icons: Record<Session['status'], LucideIcon> = {
  queued: Clock,
  provisioning: CircleDashed,
  running: Loader,
  waiting: Hand,
  suspended: CirclePause,
  completed: Check,
  failed: X,
  canceled: Ban,
};

/** A session's state: icon, word and color. */
export function StateLabel({ session }: { session: Pick<Session, 'status' | 'status_detail' | 'verification'> }) {
  const { word, tone } = stateOf(session);
  const Icon = icons[session.status];
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1 align-top whitespace-nowrap',
        colors[tone],
        tone !== 'plain' && 'font-medium',
      )}
    >
      <Icon size={16} strokeWidth={1.5} aria-hidden />
      {word}
    </span>
  );
}
