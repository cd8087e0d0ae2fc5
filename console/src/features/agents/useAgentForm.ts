import { useApiForm, type ApiFormOptions } from '../../forms/useApiForm.ts';
import type { Agent } from './queries.ts';
import { configOf } from './runtime.ts';
import { fieldOf, type AgentValues } from './values.ts';

/** The form of an agent: a configuration that is no JSON is refused before it is sent. */
export function useAgentForm(options: Omit<ApiFormOptions<AgentValues, Agent>, 'fieldOf'>) {
  const of = useApiForm({ ...options, fieldOf });
  const submit = (event?: { preventDefault: () => void }) => {
    if (configOf(of.form.getValues('runtime_config')) !== undefined) return of.submit(event);
    event?.preventDefault();
    of.form.setError('runtime_config', { message: 'This must be a JSON object: { … }.' }, { shouldFocus: true });
  };
  return { ...of, submit };
}
