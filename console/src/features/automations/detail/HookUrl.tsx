import { CopyLine } from '../../../ui/OneTimeSecret.tsx';
import type { Trigger } from '../words.ts';

/** Where requests to an automation go; nothing without a webhook. */
export function HookUrl({ triggers }: { triggers: readonly Trigger[] }) {
  const url = triggers.find(({ type }) => type === 'webhook')?.url;
  if (url === undefined || url === '') return null;
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">Requests go to</p>
      <CopyLine value={url} />
    </div>
  );
}
