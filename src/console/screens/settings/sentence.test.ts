import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { backupsSentence, healthSentence, runnersSentence } from './sentence.ts'
import type { Backup, Runner } from './sentence.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

test('the latest backup is named with its size', () => {
  const backup = (madeAt: string, size: number): Backup => ({ madeAt, size }) as Backup
  expect(backupsSentence([])).toBe('There is no backup yet.')
  expect(
    backupsSentence([backup('2020-01-01T00:00:00Z', 1), backup('2020-02-01T00:00:00Z', 10 * 1024 ** 2)]),
  ).toMatch(/^The latest backup is of .*2020.*and has 10 MB\.$/)
})

test('absent runners count neither as runners nor as slots', () => {
  const runner = (present: boolean, running: number, slots: number): Runner =>
    ({ present, running, slots }) as Runner
  expect(runnersSentence([runner(false, 0, 4)])).toBe('No runner is present: scripts wait.')
  expect(runnersSentence([runner(true, 1, 2), runner(true, 0, 4), runner(false, 3, 3)])).toBe(
    '2 runners are present. 1 of 6 slots are in use.',
  )
})

test('failed checks come before warnings', () => {
  const ok = { status: 'ok' } as const
  const failed = { status: 'failed' } as const
  const warnings = [{ code: 'a', detail: 'b' }]
  expect(healthSentence({ checks: { database: ok }, warnings: [] })).toBe('The service is well.')
  expect(healthSentence({ checks: { database: ok }, warnings })).toBe(
    'The service is ready, with one warning.',
  )
  expect(healthSentence({ checks: { database: failed, blobs: ok }, warnings })).toBe(
    'The service is not ready: one check fails.',
  )
})
