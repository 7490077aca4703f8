import { expect, test } from 'bun:test'

import { countBelow } from './below.ts'

test('objects below are counted by type, without the object and without links of service levels', () => {
  const job = { id: 4, type: 'job' as const }
  const device = { id: 3, type: 'device' as const, children: [job, { id: 5, type: 'job' as const }] }
  const slo = { id: 6, type: 'slo' as const, children: [job] }
  const counts = countBelow({ id: 2, type: 'group', children: [device, slo] })
  expect(counts).toEqual({ group: 0, device: 1, job: 2, slo: 1, slc: 0, total: 4 })
  expect(countBelow(undefined).total).toBe(0)
})
