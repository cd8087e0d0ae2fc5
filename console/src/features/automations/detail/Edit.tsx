import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { replaceData } from '../../../lib/query.ts';
import { AutomationEditor } from '../editor/AutomationEditor.tsx';
import { valuesOf } from '../editor/values.ts';
import { automationQuery } from '../queries.ts';
import type { Automation } from '../words.ts';
import { Definition } from './Definition.tsx';
import { Executor } from './Executor.tsx';
import { HookUrl } from './HookUrl.tsx';

interface Props {
  org: string;
  automation: Automation;
  canRun: boolean;
  /** Told the automation with the secret of a new webhook. */
  issued: (automation: Automation) => void;
}

/** The definition of an automation: an editor for who may change it. */
export function Edit({ org, automation, canRun, issued }: Props) {
  const client = useQueryClient();
  const [version, setVersion] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that saved it is gone, and the focus with it.
    const isLost = version > 0 && document.activeElement === document.body;
    if (isLost) place.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
  }, [version]);
  const saved = async (after: Automation) => {
    await replaceData(client, automationQuery(org, after.id).queryKey, { ...after, hook_secret: '' });
    if (after.hook_secret !== '') issued(after);
    // The editor begins again with what was saved, such as the ids of new triggers.
    setVersion((before) => before + 1);
  };
  return (
    <div ref={place} className="flex max-w-[1200px] flex-col gap-6 px-4 py-4 sm:px-6">
      {canRun ? (
        <>
          <HookUrl triggers={automation.triggers} />
          <AutomationEditor key={version} org={org} before={automation} values={valuesOf(automation)} saved={saved} />
          {automation.executor === 'external' && <Executor org={org} id={automation.id} />}
        </>
      ) : (
        <Definition org={org} automation={automation} />
      )}
    </div>
  );
}
