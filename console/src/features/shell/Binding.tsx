const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Returns the keys of a binding as they are written on a keyboard: `$mod+k` is `⌘ K` or `Ctrl K`. */
function keysOf(binding: string): string[] {
  return binding.split(/[ +]/).flatMap((key) => {
    if (key === '$mod') return [isApple ? '⌘' : 'Ctrl'];
    if (key === '[Shift]') return [];
    return [key.length === 1 && binding.includes('$mod') ? key.toUpperCase() : key];
  });
}

/** The keys of a binding. */
export function Binding({ of }: { of: string }) {
  return (
    <span className="flex gap-1">
      {keysOf(of).map((key, at) => (
        <kbd key={at} className="min-w-6 rounded-chip border border-line-strong px-1 text-center leading-5">
          {key}
        </kbd>
      ))}
    </span>
  );
}
