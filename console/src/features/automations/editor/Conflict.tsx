import type { Schemas } from '../../../lib/api.ts';
import { Button } from '../../../ui/Button.tsx';
import { TextDiff } from '../../../ui/diff/TextDiff.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { Automation } from '../words.ts';
import { requestOf, valuesOf } from './values.ts';

interface Props {
  theirs: Automation;
  mine: Schemas['CreateAutomationRequest'];
  keepMine: () => void;
  takeTheirs: () => void;
}

/** Somebody else saved the automation meanwhile: what of it would change, and whose holds. */
export function Conflict({ theirs, mine, keepMine, takeTheirs }: Props) {
  const written = (request: Schemas['CreateAutomationRequest']) => JSON.stringify(request, null, 2);
  return (
    <section aria-label="Changed meanwhile" className="flex flex-col gap-2 border-l-2 border-wait px-3 py-2">
      <p>
        Someone saved this automation <Time at={theirs.updated_at} />. Theirs, and what yours changes in it:
      </p>
      <TextDiff name="automation.json" before={written(requestOf(valuesOf(theirs)))} after={written(mine)} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={takeTheirs}>Take theirs</Button>
        <Button onClick={keepMine}>Keep mine, and save over it</Button>
      </div>
    </section>
  );
}
