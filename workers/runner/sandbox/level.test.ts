import { expect, test } from 'bun:test'

import { levelOf, MEANS, missingOf } from './level.ts'
import type { ProbeResults, Means } from './level.ts'

const subsets = Array.from({ length: 2 ** MEANS.length }, (_, bits) =>
  MEANS.filter((_means, index) => (bits >> index) & 1),
)

test.each(subsets.map((subset) => [subset.join(' + ') || 'nothing', subset] as const))(
  'with %s the level promises no more than is there, and tells of what is not',
  (_title, subset) => {
    const has = (means: Means) => subset.includes(means)
    const found = Object.fromEntries(
      MEANS.map((means) => [means, has(means) ? null : `no ${means}`]),
    ) as ProbeResults
    const level = levelOf(has)
    const needed: readonly Means[] = ['namespaces', 'seccomp', 'uids', 'cgroups', 'rooms']
    expect(level === 'full').toBe(needed.every(has))
    if (level === 'reduced') expect(has('namespaces') || (has('landlock') && has('uids'))).toBeTrue()
    if (level === 'uid') expect(has('uids')).toBeTrue()
    expect(level === 'none').toBe(!has('uids') && !has('namespaces'))
    expect(missingOf(found).length).toBe(needed.filter((means) => !has(means)).length)
  },
)
