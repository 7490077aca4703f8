import type { Answer } from '../../api/client.ts'
import { language, t } from '../../language/t.ts'
import { stateWord } from '../../kit/state.tsx'

export type Slo = Answer<'/slos/{id}'>
export type Operation = Slo['stateOperation']
/** Members at least this bad. */
type Badness = 'major' | 'minor' | 'warning'

/** The counters of each state of a service, with the members that each of them counts. */
export const RULES = [
  { result: 'major', counters: [['major', 'major']] },
  {
    result: 'minor',
    counters: [
      ['minor', 'major'],
      ['minorMinor', 'minor'],
    ],
  },
  {
    result: 'warning',
    counters: [
      ['warning', 'major'],
      ['minorWarning', 'minor'],
      ['warningWarning', 'warning'],
    ],
  },
] as const satisfies readonly {
  readonly result: Badness
  readonly counters: readonly (readonly [Counter, Badness])[]
}[]
export type Counter = 'major' | 'minor' | 'warning' | 'minorMinor' | 'minorWarning' | 'warningWarning'
export type Counters = Readonly<Record<Counter, number>>
export const COUNTERS = RULES.flatMap(({ counters }) => counters.map(([counter]) => counter))

const BADNESS: readonly Badness[] = ['warning', 'minor', 'major']

/** The meaning of a counter of 0: a number of members, all of them, or never. */
export function unsetText(operation: Operation): string {
  if (operation === 'or') return t('levels.say.unsetAll')
  return operation === 'count' ? t('levels.say.unsetNever') : '1'
}

type Condition = { readonly badness: Badness; readonly least: number }
type Clause = { readonly result: Badness; readonly conditions: readonly Condition[] }

/** The conditions of each state, without those that a worse state has already met.
 * @param members how many members count, each by its weight */
export function clausesOf(operation: Operation, counters: Counters, members: number): readonly Clause[] {
  const unset = { and: 1, degraded: 1, or: members, count: Number.POSITIVE_INFINITY, xor: 1 }[operation]
  const met: Condition[] = []
  const clauses = RULES.map(({ result, counters: own }) => {
    const conditions: Condition[] = []
    for (const [counter, badness] of own) {
      const condition = { badness, least: counters[counter] > 0 ? counters[counter] : unset }
      if (condition.least > members || met.some((other) => implies(condition, other))) continue
      conditions.push(condition)
      met.push(condition)
    }
    return { result, conditions: conditions.filter((one) => !isWithin(one, conditions)) }
  })
  return clauses.filter(({ conditions }) => conditions.length > 0)
}

/** Whether the first condition is met only where the second one is. */
function implies(one: Condition, other: Condition): boolean {
  return other.least <= one.least && BADNESS.indexOf(other.badness) <= BADNESS.indexOf(one.badness)
}

function isWithin(one: Condition, all: readonly Condition[]): boolean {
  return all.some((other) => other !== one && implies(one, other))
}

/** The rule of a service as sentences, worst state first. */
export function ruleSentence(operation: Operation, counters: Counters, members: number): string {
  if (members === 0) return t('levels.say.noMembers')
  if (operation === 'xor') return t('levels.say.xor')
  const clauses = clausesOf(operation, counters, members)
  if (clauses.length === 0) return t('levels.say.never')
  const said = clauses.map(({ result, conditions }, index) => {
    // `degraded` makes a service a warning that would be major.
    const state = operation === 'degraded' && result === 'major' ? 'warning' : result
    return t(index === 0 ? 'levels.say.first' : 'levels.say.next', {
      state: index === 0 ? stateWord(state) : t(`levels.then.${state}`),
      conditions: new Intl.ListFormat(language.value, { type: 'disjunction' }).format(
        conditions.map((condition) => conditionText(condition, members)),
      ),
    })
  })
  return `${said.join(' ')} ${t('levels.say.else')}`
}

function conditionText({ badness, least }: Condition, total: number): string {
  const state = t(`levels.bad.${badness}`)
  if (total === 1) return t('levels.say.only', { state })
  if (least === total) return t('levels.say.all', { total, state })
  return t('levels.say.some', { count: least, total, state })
}
