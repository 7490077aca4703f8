import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-gate-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a test that fails among the others and passes alone counts as passed, and the report names it', async () => {
  const report = await runGate([flaky('waits [1] > for "x" & more')])
  expect(report).toContain('> what failed among the other tests and passed alone')
  expect(report).toContain('(fail) group > waits [1] > for "x" & more')
  expect(report).toEndWith('2 passed, 0 failed\nexit 0\n')
})

test('a test that fails alone as well has failed', async () => {
  const report = await runGate([`test('fails', () => expect(1).toBe(2))`, flaky('one')])
  expect(report).toContain('> what failed\n')
  expect(report).toEndWith('1 passed, 2 failed\nexit 1\n')
})

test.each([
  { flakes: 3, end: '4 passed, 0 failed\nexit 0\n' },
  { flakes: 4, end: '1 passed, 4 failed\nexit 1\n' },
])('at most 3 failed tests run again: $flakes', async ({ flakes, end }) => {
  const report = await runGate(Array.from({ length: flakes }, (_, index) => flaky(`number ${index}`)))
  expect(report).toEndWith(end)
})

test('an error outside a test is a failure, whatever passes alone', async () => {
  const report = await runGate([
    flaky('one'),
    `afterAll(() => { if (isFirst('after')) throw new Error('late') })`,
  ])
  expect(report).toEndWith('failed\nexit 1\n')
})

/** A test that fails in its first run. */
function flaky(name: string): string {
  return `test(${JSON.stringify(name)}, () => expect(isFirst(${JSON.stringify(name)})).toBe(false))`
}

/** What the gate prints of a file with these tests and one that passes. */
async function runGate(tests: readonly string[]): Promise<string> {
  const file = join(folder, 'some.test.ts')
  await Bun.write(
    file,
    `import { afterAll, describe, expect, test } from 'bun:test'
     import { mkdirSync } from 'node:fs'
     function isFirst(name) {
       try { mkdirSync(${JSON.stringify(folder)} + '/' + encodeURIComponent(name)); return true } catch { return false }
     }
     describe('group', () => { test('passes', () => {}); ${tests.join('\n')} })`,
  )
  const script = `set -eu; . workers/gate.sh; begin_report
    run_tests others "$file"; add_up others; run_failed_again others
    if finish; then echo exit 0; else echo exit 1; fi`
  const environment = { ...process.env, bun: process.execPath, file, CI: 'true' }
  const shell = Bun.spawn(['sh', '-c', script], { env: environment, stdout: 'pipe', stderr: 'pipe' })
  return new Response(shell.stdout).text()
}
