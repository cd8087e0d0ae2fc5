import { Check } from 'lucide-react';
import type { DiffFile } from '../../ui/diff/diff.ts';
import { DiffTree } from '../../ui/diff/DiffTree.tsx';

interface Props {
  files: readonly DiffFile[];
  shown: string | undefined;
  viewed: ReadonlySet<string>;
  go: (path: string) => void;
}

/** The changed files, with a mark at those that were viewed. */
export function FileTree({ files, shown, viewed, go }: Props) {
  return (
    <DiffTree
      files={files}
      selected={shown}
      onSelect={go}
      className="max-h-64 border-b border-line md:sticky md:top-0 md:max-h-dvh md:border-r md:border-b-0"
      renderMark={({ path }) => (
        <span className="w-4 shrink-0 text-ink-2">
          {viewed.has(path) && (
            <>
              <Check size={16} strokeWidth={1.5} aria-hidden />
              <span className="sr-only">viewed</span>
            </>
          )}
        </span>
      )}
    />
  );
}

/** The tick of a file that the person has viewed, at the end of its header. */
export function ViewedTick({ checked, toggle }: { checked: boolean; toggle: () => void }) {
  return (
    <label className="flex min-h-6 items-center gap-1 font-sans pointer-coarse:min-h-11">
      <input type="checkbox" checked={checked} onChange={toggle} className="size-4 accent-accent" />
      Viewed
    </label>
  );
}
