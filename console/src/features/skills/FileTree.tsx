import { useMemo } from 'react';
import { cx } from '../../ui/cx.ts';
import { treeOf, type TreeEntry } from '../../ui/diff/tree.ts';
import type { SkillDetail } from './queries.ts';

type Entry = SkillDetail['files'][number];

interface Props {
  files: readonly Entry[];
  selected: string;
  onSelect: (path: string) => void;
}

/** The files of a skill, at most 100, as a tree. */
export function FileTree({ files, ...rest }: Props) {
  const tree = useMemo(() => treeOf(files), [files]);
  return (
    <nav aria-label="Files">
      <Entries entries={tree} {...rest} />
    </nav>
  );
}

function Entries({ entries, selected, onSelect }: Omit<Props, 'files'> & { entries: readonly TreeEntry<Entry>[] }) {
  return (
    <ul className="[ul_&]:pl-3">
      {entries.map(({ name, path, file, children }) =>
        file === undefined ? (
          <li key={`${path}/`}>
            <p className="flex min-h-6 items-center px-2 break-all text-ink-3">{name}/</p>
            <Entries entries={children} selected={selected} onSelect={onSelect} />
          </li>
        ) : (
          <li key={path}>
            <button
              type="button"
              aria-current={path === selected ? 'true' : undefined}
              onClick={() => onSelect(path)}
              className={cx(
                'flex min-h-6 w-full items-center gap-2 rounded-chip px-2 text-left break-all hover:bg-sunken pointer-coarse:min-h-11',
                path === selected && 'bg-accent-soft',
              )}
            >
              <span className="min-w-0 flex-1">{name}</span>
              {file.executable && <span className="text-meta text-ink-3">runs</span>}
            </button>
          </li>
        ),
      )}
    </ul>
  );
}
