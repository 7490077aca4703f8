import { expect, test } from 'bun:test'

import { jsonLog } from '../json-log.ts'
import { Complaints } from './complaints.ts'

test('what lasts is logged at growing intervals, and its end once', () => {
  const lines: string[] = []
  let now = 0
  const complaints = new Complaints(
    jsonLog((line) => lines.push(line)),
    () => now,
  )
  const saidAt: number[] = []
  for (; now < 100_000; now += 1_000) {
    const before = lines.length
    complaints.warn('runner: the service does not answer', { status: 0 })
    if (lines.length > before) saidAt.push(now)
  }
  expect(saidAt).toEqual([0, 10_000, 30_000, 70_000])
  const before = lines.length
  complaints.over()
  complaints.over()
  expect(lines.slice(before).map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['info'])
  complaints.warn('runner: the service does not answer', { status: 0 })
  expect(lines).toHaveLength(before + 2)
  now += 24 * 3_600_000
  for (let hour = 0; hour < 24; hour++, now += 3_600_000) complaints.warn('still', {})
  expect(lines.length - before).toBeGreaterThanOrEqual(24)
})
