import { Refusal } from '../../../lib/errors.ts'
import { resolveParameters } from '../parameters.ts'
import type { faultsOfValues, Values } from '../parameters.ts'
import { lineOf } from '../rights.ts'
import type { FoundDashboard } from './views.ts'

/** The values of the parameters of a dashboard, with the defaults of its groups. @param given as `resolveParameters` */
export function valuesOf({ definition, row, sights }: FoundDashboard, given: Values): Values {
  const defaults = lineOf(sights.groups, row.groupId).map(({ defaultParams }) => defaultParams)
  return resolveParameters(definition, given, defaults).values
}

/** Refuses a request whose values of parameters have faults.
 * @param pointerTo gives the pointer to the value of a parameter in the request @throws {Refusal} invalid */
export function refuseValues(
  faults: ReturnType<typeof faultsOfValues>,
  pointerTo: (name: string) => string,
): void {
  if (faults.length === 0) return
  const errors = faults.map(({ name, message }) => ({ pointer: pointerTo(name), message }))
  throw new Refusal('invalid', 'Some parameters are invalid; see errors.', errors)
}
