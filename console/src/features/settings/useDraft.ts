import { useEffect, useState } from 'react';
import type { SchemaField } from '../../forms/schema/shape.ts';
import { useLeaveGuard } from '../../forms/useLeaveGuard.ts';
import { isSame } from '../../lib/same.ts';
import { changedFields, chosenOf, merged, withValue, type Chosen, type SettingsRecord } from './draft.ts';

interface State {
  /** The settings that the draft began with. */
  base: SettingsRecord;
  chosen: Chosen;
  /** Counts the times that the whole draft was replaced, so that controls forget what is half written. */
  version: number;
}

/** A draft of settings. Leaving the page with one asks first; what others save meanwhile is `theirs`. */
export function useDraft(
  fields: readonly SchemaField[],
  latest: SettingsRecord,
  /** A control may hold what it did not hand over yet, so the draft is not replaced. */
  isTyping: boolean,
) {
  const [state, setState] = useState<State>({ base: latest, chosen: chosenOf(latest), version: 0 });
  const before = chosenOf(state.base);
  const changed = changedFields(fields, before, state.chosen);
  const isDirty = changed.length > 0;
  const isOld = latest.revision > state.base.revision;
  const replace = (base: SettingsRecord, chosen: Chosen) =>
    setState(({ version }) => ({ base, chosen, version: version + 1 }));
  useEffect(() => {
    if (isOld && !isDirty && !isTyping) replace(latest, chosenOf(latest));
  }, [isOld, isDirty, isTyping, latest]);
  useLeaveGuard(isDirty, 'Your changes of these settings are lost.');
  return {
    base: state.base,
    before,
    chosen: state.chosen,
    version: state.version,
    changed,
    isDirty,
    theirs: isOld && isDirty ? latest : undefined,
    /** Undefined goes back to the default. */
    change: (field: SchemaField, value: unknown) =>
      setState((current) => {
        const wasChosen = Object.hasOwn(chosenOf(current.base), field.key);
        const isDefault = !wasChosen && isSame(value, field.byDefault);
        return { ...current, chosen: withValue(current.chosen, field.key, isDefault ? undefined : value) };
      }),
    /** Starts again from settings, without any change. */
    start: (from: SettingsRecord) => replace(from, chosenOf(from)),
    /** Goes on from what was saved, with the changes since it was sent; controls stay as they are. */
    saved: (from: SettingsRecord, sent: Chosen) =>
      setState(({ chosen, version }) => ({
        base: from,
        chosen: merged(fields, sent, chosenOf(from), chosen),
        version,
      })),
    /** Keeps the own changes, on top of what somebody else saved. */
    keepOn: (theirs: SettingsRecord) => replace(theirs, merged(fields, before, chosenOf(theirs), state.chosen)),
  };
}

export type Draft = ReturnType<typeof useDraft>;
