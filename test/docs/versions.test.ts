import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { EXIT } from '../../workers/server/failures.ts'

const ROOT = join(import.meta.dir, '../..')
const version = versionOf('package.json')

test.each(['docs/CHANGELOG.md', 'docs/operations/upgrade.md'])(
  '%s names the version of package.json',
  (path) => {
    expect(read(path).match(/\b\d+\.\d+\.\d+\b/)?.[0]).toBe(version)
  },
)

test.each(['package-lock.json', 'clients/typescript/package.json'])(
  '%s has the version of package.json',
  (path) => {
    expect(versionOf(path)).toBe(version)
  },
)

test('the upgrade page names the exit code of a release that finds data of a later one', () => {
  expect(read('docs/operations/upgrade.md')).toContain(`(exit code ${EXIT.data})`)
})

function versionOf(path: string): string {
  return (JSON.parse(read(path)) as { version: string }).version
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
