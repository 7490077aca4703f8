import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { listSentence, runSentence, runsSentence } from './script.ts'
import type { Run } from './script.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const NOW = Date.parse('2026-11-25T12:00:00Z')
const run = (part: Partial<Run>): Run =>
  ({
    runConfiguration: 'nightly',
    queuedAt: '2026-11-25T11:59:00Z',
    startedAt: '2026-11-25T11:59:30Z',
    durationMs: null,
    exitCode: null,
    waitingFor: null,
    progress: { value: null, message: null },
    ...part,
  }) as Run
const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

test('a run that goes on tells since when, and its own message', () => {
  expect(plain(runSentence(run({ state: 'running' }), NOW))).toBe('nightly has been running for 30 sec.')
  const progress = { value: 0.4, message: 'batch 16 of 25' }
  expect(plain(runSentence(run({ state: 'running', progress }), NOW))).toBe(
    'nightly has been running for 30 sec: batch 16 of 25.',
  )
})

test('a run that waits names its obstacle', () => {
  const waiting = run({ state: 'queued', startedAt: null, waitingFor: 'no runner takes jobs' })
  expect(plain(runSentence(waiting, NOW))).toBe('nightly has waited 1 min: no runner takes runs.')
})

test('a run that ended tells its duration and exit code', () => {
  expect(plain(runSentence(run({ state: 'failed', exitCode: 3, durationMs: 2_000 }), NOW))).toBe(
    'nightly failed with exit code 3 after 2 sec.',
  )
  expect(plain(runSentence(run({ state: 'failed', durationMs: 2_000 }), NOW))).toBe(
    'nightly failed after 2 sec.',
  )
})

test('a script is described by its active runs, else by the latest run', () => {
  expect(runsSentence([], NOW)).toBe('This script has not run yet.')
  const active = run({ state: 'running' })
  expect(runsSentence([active, active], NOW)).toBe('2 runs are going on.')
  const ended = run({ state: 'succeeded', durationMs: 2_000 })
  expect(plain(runsSentence([ended, run({ state: 'failed' })], NOW))).toBe('nightly succeeded in 2 sec.')
})

test('the list counts scripts and groups, and scripts that cannot run', () => {
  expect(listSentence([{ groupId: 1, warnings: [] }])).toBe('There is one script.')
  expect(
    listSentence([
      { groupId: 1, warnings: ['runner.none'] },
      { groupId: 2, warnings: [] },
    ]),
  ).toBe('There are 2 scripts in 2 groups. One of them has no file that a runner can start.')
})
