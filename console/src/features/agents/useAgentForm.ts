import { useApiForm, type ApiFormOptions } from '../../forms/useApiForm.ts';
import type { Agent } from './queries.ts';
import { fieldOf, refusalsOf, type AgentValues } from './values.ts';

type Options = Omit<ApiFormOptions<AgentValues, Agent>, 'fieldOf' | 'values'> & { values: AgentValues };

/** The form of an agent. What the API would not take, or would not change, is refused before it is sent. */
export function useAgentForm(options: Options) {
  const of = useApiForm({ ...options, fieldOf });
  const submit = (event?: { preventDefault: () => void }) => {
    const [problem] = refusalsOf(options.values, of.form.getValues());
    if (problem === undefined) return of.submit(event);
    event?.preventDefault();
    of.form.setError(problem.field, { message: problem.message }, { shouldFocus: true });
  };
  return { ...of, submit };
}
