import type { Parameter, Values } from '../dashboard.ts'

/** Values for the parameters of a data query that a dashboard has under the same name: `${name}` stands for its value. */
export function sharedParams(
  ofQuery: readonly { readonly name: string }[],
  ofDashboard: readonly Pick<Parameter, 'name'>[],
): Values {
  const known = new Set(ofDashboard.map(({ name }) => name))
  return Object.fromEntries(
    ofQuery.flatMap(({ name }) => (known.has(name) ? [[name, `\${${name}}`] as const] : [])),
  )
}
