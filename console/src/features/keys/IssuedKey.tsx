import { Snippet } from '../../ui/Copy.tsx';

/** A new key, which is shown only now, with a request to try it. */
export function IssuedKeyNote({ value }: { value: string }) {
  const curl = `curl -H 'Authorization: Bearer ${value}' ${location.origin}/v3/self`;
  return (
    <div className="flex flex-col gap-4 border-l-2 border-ok bg-ok-soft p-3 text-ink">
      <p className="font-medium" role="status">
        Copy the key now: it is not shown again.
      </p>
      <Snippet label="Key" text={value} />
      <Snippet label="Try it" text={curl} />
    </div>
  );
}
