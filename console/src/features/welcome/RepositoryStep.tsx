import { Link } from '@tanstack/react-router';
import { Button, buttonClass } from '../../ui/Button.tsx';
import type { Progress, Template } from './steps.ts';
import { useExample } from './useExample.ts';

/** The first repository: the example by one button, or one of one's own. */
export function RepositoryStep({ org, progress: { template, hasRepository } }: { org: string; progress: Progress }) {
  if (hasRepository !== false) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {template !== undefined && <CreateExample org={org} template={template} />}
      <Link to="/$org/repositories/new" params={{ org }} className={buttonClass()}>
        New repository
      </Link>
    </div>
  );
}

function CreateExample({ org, template }: { org: string; template: Template }) {
  const { create } = useExample(org, template);
  return (
    <Button look="primary" disabled={create.isPending} onClick={() => create.mutate()} title={template.description}>
      {create.isPending ? 'Creating …' : 'Create the example'}
    </Button>
  );
}
