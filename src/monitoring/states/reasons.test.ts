import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { State } from '../../domain/state.ts'
import { stepDown, traceFrom } from './reasons.ts'
import type { CountedChild, Suspect } from './reasons.ts'
import { STATES } from '../../domain/state.ts'

const suspect = (id: number, type: string, state: State, isReason = false): Suspect => ({
  id,
  type,
  name: `${type} ${id}`,
  state,
  isReason,
})

/** A child that counts as its own state unless `shown` differs. */
const under = (parentId: number, child: Suspect, shown: State = child.state): CountedChild => ({
  ...child,
  parentId,
  shown,
})

function reasonsOf(start: Suspect, children: readonly CountedChild[]): number[] {
  const first = traceFrom(start)
  const found = new Set<number>()
  for (let traces = first ? [first] : []; traces.length > 0;) {
    const { reasons, next } = stepDown(traces, children)
    for (const { id } of reasons) found.add(id)
    traces = [...next]
  }
  return [...found].sort((a, b) => a - b)
}

describe('the reasons of a state', () => {
  const slo = suspect(1, 'slo', 'major')
  test('are the jobs behind the worst children', () => {
    const device = suspect(2, 'device', 'major')
    const children = [
      under(1, device),
      under(2, suspect(3, 'job', 'major')),
      under(2, suspect(4, 'job', 'major')),
      under(2, suspect(5, 'job', 'minor')),
      under(1, suspect(6, 'job', 'minor')),
    ]
    expect(reasonsOf(slo, children)).toEqual([3, 4])
  })

  test('follow the counted state: a child that counts as less is not the worst', () => {
    const children = [under(1, suspect(2, 'job', 'major'), 'warning'), under(1, suspect(3, 'job', 'minor'))]
    expect(reasonsOf(slo, children)).toEqual([3])
  })

  test('are the deepest objects on the way that can be named', () => {
    const alike = under(2, suspect(4, 'job', 'ok'), 'major')
    const inner = (isReason: boolean) => [under(1, suspect(2, 'slo', 'major', isReason)), alike]
    expect(reasonsOf({ ...slo, isReason: true }, inner(true))).toEqual([2])
    expect(reasonsOf({ ...slo, isReason: true }, inner(false))).toEqual([1])
    expect(reasonsOf(slo, inner(false))).toEqual([])
  })

  test.each(['ok', 'maintenance_ok', 'no_data', 'undefined'] as const)('do not exist for %s', (state) => {
    expect(traceFrom(suspect(1, 'slo', state, true))).toBeNull()
  })

  test('of maintenance are the reasons of the state under it', () => {
    const job = under(1, suspect(2, 'job', 'maintenance_minor'))
    expect(reasonsOf(suspect(1, 'device', 'maintenance_minor'), [job])).toEqual([2])
  })

  test('are bad, can be named, and are reached through the worst children only', () => {
    const someChildren = fc.array(
      fc.record({
        parent: fc.nat({ max: 8 }),
        type: fc.constantFrom('job', 'slo', 'device'),
        state: fc.constantFrom(...STATES),
        shown: fc.constantFrom(...STATES),
        isReason: fc.boolean(),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(someChildren, (all) => {
        // Each object below one that was created earlier.
        const children = all.map(({ parent, shown, type, state, isReason }, index) =>
          under(Math.min(parent, index) + 1, suspect(index + 2, type, state, isReason), shown),
        )
        const known = new Map(children.map((child) => [child.id, child]))
        const start = suspect(1, 'slo', 'major', true)
        const reasons = reasonsOf(start, children)
        for (const id of reasons) {
          for (let at = known.get(id); at; at = known.get(at.parentId)) {
            const { parentId, shown, state } = at
            const beside = children.filter((child) => child.parentId === parentId)
            const isWorst = beside.every((child) => STATES.indexOf(child.shown) >= STATES.indexOf(shown))
            expect([isWorst, STATES.indexOf(state) < STATES.indexOf('maintenance_ok')]).toEqual([true, true])
          }
          const named = known.get(id) ?? start
          expect(named.type === 'job' || named.isReason).toBe(true)
        }
      }),
    )
  })
})
