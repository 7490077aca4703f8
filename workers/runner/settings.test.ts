import { expect, test } from 'bun:test'

import { readRunnerSettings } from './settings.ts'

const LEAST = {
  TIDEMARK_RUNNER_URL: 'https://tidemark.example.org/base/',
  TIDEMARK_RUNNER_TOKEN: 'x'.repeat(32),
}

test('a URL and a token are all that is needed', () => {
  const settings = readRunnerSettings(LEAST)
  expect(settings).toMatchObject({ url: 'https://tidemark.example.org/base', labels: [], files: [] })
  expect(settings).toMatchObject({ isolation: 'required' })
  expect(settings.slots).toBeGreaterThan(0)
  expect(settings.dir).toStartWith('/var/tmp/tidemark-runner-')
  const other = readRunnerSettings({ ...LEAST, TIDEMARK_RUNNER_NAME: 'another' })
  expect(other.dir).not.toBe(settings.dir)
})

test('lists have commas between, and directories are called by their last name', () => {
  const settings = readRunnerSettings({
    ...LEAST,
    TIDEMARK_RUNNER_LABELS: 'linux, big,,',
    TIDEMARK_RUNNER_FILES: '/srv/in,/mnt/share',
  })
  expect(settings.labels).toEqual(['linux', 'big'])
  expect(settings.files).toEqual([
    { name: 'in', path: '/srv/in' },
    { name: 'share', path: '/mnt/share' },
  ])
})

test.each([
  ['TIDEMARK_RUNNER_URL', 'http://tidemark.example.org'],
  ['TIDEMARK_RUNNER_URL', 'https://user:password@tidemark.example.org'],
  ['TIDEMARK_RUNNER_TOKEN', 'x'.repeat(31)],
  ['TIDEMARK_RUNNER_TOKEN', `${'x'.repeat(31)} y`],
  ['TIDEMARK_RUNNER_SLOTS', '0'],
  ['TIDEMARK_RUNNER_SLOTS', '65'],
  ['TIDEMARK_RUNNER_LABELS', 'x'.repeat(65)],
  ['TIDEMARK_RUNNER_ISOLATION', 'none'],
  ['TIDEMARK_RUNNER_FILES', 'relative'],
  ['TIDEMARK_RUNNER_FILES', '/srv/in,/mnt/in'],
])('%s is not %s', (name, value) => {
  expect(() => readRunnerSettings({ ...LEAST, [name]: value })).toThrow(name)
})

test('no isolation at all as root is refused unless that is said', () => {
  const read = (isolation: string, uid: number) =>
    readRunnerSettings({ ...LEAST, TIDEMARK_RUNNER_ISOLATION: isolation }, uid).isolation
  expect(() => read('off', 0)).toThrow('TIDEMARK_RUNNER_ISOLATION=off would run every script as root')
  expect([read('off-as-root', 0), read('off', 1000), read('best-effort', 0)]).toEqual([
    'off',
    'off',
    'best-effort',
  ])
})

test.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])('%s stays here', (url) => {
  expect(readRunnerSettings({ ...LEAST, TIDEMARK_RUNNER_URL: url }).url).toBe(url)
})
