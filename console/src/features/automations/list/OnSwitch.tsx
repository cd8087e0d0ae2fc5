import { Switch } from '../../../ui/Switch.tsx';
import { useSwitch } from '../actions.ts';
import { isOn, type Automation } from '../words.ts';

/** Turns an automation on or off. */
export function OnSwitch({ org, automation }: { org: string; automation: Automation }) {
  const change = useSwitch(org);
  const isPending = change.isPending;
  return (
    <Switch
      label={`${automation.name}: on`}
      on={isPending ? change.variables.on : isOn(automation)}
      isPending={isPending}
      onChange={(on) => change.mutate({ automation, on })}
    />
  );
}
