import type { Difference } from './difference.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'

export type Counts = { readonly create: number; readonly change: number; readonly delete: number }

type Line = {
  readonly mark: '+' | '~' | '-' | '?'
  readonly noun: string
  readonly changes: readonly Difference[]
}

/** The numbers of objects and recipients that a plan creates, changes and deletes. */
export function countsOf(plan: Plan, prunes: boolean): Counts {
  const lines = linesOf(plan, prunes)
  const count = (mark: Line['mark']) => lines.filter((one) => one.mark === mark).length
  return { create: count('+'), change: count('~'), delete: count('-') }
}

/** The number of objects that `execute` looks at. */
export function objectsOf({ steps, leftovers }: Plan, prunes: boolean): number {
  const below = (some: readonly Step[]): number =>
    some.reduce((sum, { children }) => sum + 1 + below(children), 0)
  return below(steps) + (prunes ? leftovers.length : 0)
}

/** The plan for people: a line for each object, and below it each field with its value now and then. */
export function planText(plan: Plan, prunes: boolean): string {
  const lines = linesOf(plan, prunes)
  const { create, change, delete: deleted } = countsOf(plan, prunes)
  const left = lines.filter(({ mark }) => mark === '?').length
  const summary =
    create + change + deleted === 0
      ? `The manifest "${plan.manifest}" and the service agree.`
      : `Plan: ${create} to create, ${change} to change, ${deleted} to delete.`
  const hint =
    left === 0 ? '' : `\n${left} of the objects are no longer in the manifest (?). --prune deletes them.`
  return `${lines.map(lineText).join('')}${summary}${hint}\n`
}

function linesOf(plan: Plan, prunes: boolean): readonly Line[] {
  return [
    ...plan.recipients.flatMap(({ wanted, id, changes }) =>
      stepLine({ id, noun: `recipient "${wanted.name}"`, changes }),
    ),
    ...plan.steps.flatMap(stepLines),
    ...plan.leftovers.map(({ type, name, id }): Line => ({
      mark: prunes ? '-' : '?',
      noun: `${type} "${name}" (${id})`,
      changes: [],
    })),
  ]
}

function stepLines({
  wanted,
  path,
  id,
  changes,
  linkChanges,
  childChanges,
  children,
}: Step): readonly Line[] {
  return [
    ...stepLine({
      id,
      noun: `${wanted.type} "${path}"`,
      changes: [...changes, ...linkChanges, ...childChanges],
    }),
    ...children.flatMap(stepLines),
  ]
}

function stepLine({
  id,
  noun,
  changes,
}: {
  readonly id: number | null
  readonly noun: string
  readonly changes: readonly Difference[]
}): readonly Line[] {
  if (id === null) return [{ mark: '+', noun, changes: [] }]
  return changes.length === 0 ? [] : [{ mark: '~', noun, changes }]
}

function lineText({ mark, noun, changes }: Line): string {
  const fields = changes.map(({ path, from, to }) => `    ${path}: ${shown(from)} → ${shown(to)}\n`)
  return `${mark} ${noun}\n${fields.join('')}`
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value)
}
