import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../../ui/Button.tsx';
import { Empty } from '../../../ui/Notice.tsx';
import { examples } from '../editor/examples.ts';

/** Stands where no automation is: worked examples that open the editor filled in. */
export function Examples({ org, canRun }: { org: string; canRun: boolean }) {
  return (
    <Empty
      action={
        canRun && (
          <ul aria-label="Examples" className="flex w-full max-w-[72ch] flex-col border-t border-line">
            {examples.map(({ id, title, text }) => (
              <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
                <span className="min-w-0 flex-1 basis-64">
                  <span className="block font-medium text-ink">{title}</span>
                  <span className="block">{text}</span>
                </span>
                <Link
                  to="/$org/automations/new"
                  params={{ org }}
                  search={{ example: id }}
                  className={buttonClass()}
                  aria-label={`Start with: ${title}`}
                >
                  Start with this
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    >
      An automation starts sessions by itself: at times, by requests, or by what happens in repositories. There are none
      yet.
    </Empty>
  );
}
