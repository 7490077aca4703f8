import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { isAccepted, packagesOf } from './licences.ts'
import type { Package } from './licences.ts'

const ROOT = join(import.meta.dir, '../..')
const SBOM_MAX_MS = 60_000
const all = packagesOf(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))

type Component = {
  readonly name: string
  readonly version: string
  readonly licenses?: readonly unknown[]
  readonly hashes?: readonly { readonly content: string }[]
}

describe('the packages of the lock file', () => {
  test('each has a licence that is accepted; packages of an installation also have the hash of their archive', () => {
    const installed = all.filter(({ isDev }) => !isDev)
    expect(installed.length).toBeGreaterThan(50)
    expect(all.filter((one) => !isAccepted(one))).toEqual([])
    expect(installed.filter(({ integrity }) => !integrity.startsWith('sha512-'))).toEqual([])
  })

  test.each([
    ['MIT', false, true],
    ['(MIT OR GPL-3.0-only)', false, true],
    ['GPL-3.0-only', false, false],
    ['GPL-3.0-only', true, false],
    ['MIT AND GPL-3.0-only', false, false],
    ['MPL-2.0', false, false],
    ['MPL-2.0', true, true],
    ['Apache-2.0 AND LGPL-3.0-or-later AND MIT', true, true],
    ['SEE LICENSE IN LICENSE.md', false, false],
    ['', false, false],
    // An expression with both is not read.
    ['MIT OR (ISC AND GPL-3.0-only)', false, false],
    ['(MIT OR ISC) AND GPL-3.0-only', false, false],
  ])('%p of a tool (%p) is accepted: %p', (licence, isDev, expected) => {
    const one: Package = { name: 'x', version: '1.0.0', licence, isDev, integrity: '' }
    expect(isAccepted(one)).toBe(expected)
  })

  test(
    'npm run sbom prints all of an installation in CycloneDX, with licences and hashes',
    () => {
      const { stdout, stderr, exitCode } = Bun.spawnSync(['npm', 'run', '--silent', 'sbom'], { cwd: ROOT })
      expect({ exitCode, error: stderr.toString() }).toEqual({ exitCode: 0, error: '' })
      const { bomFormat, components } = JSON.parse(stdout.toString()) as {
        readonly bomFormat: string
        readonly components: readonly Component[]
      }
      expect(bomFormat).toBe('CycloneDX')
      const named = new Set(components.map(({ name, version }) => `${name}@${version}`))
      const installed = all.filter(({ isDev }) => !isDev).map(({ name, version }) => `${name}@${version}`)
      expect(named).toEqual(new Set(installed))
      const incomplete = components.filter(({ licenses, hashes }) => !licenses?.length || !hashes?.length)
      expect(incomplete.map(({ name }) => name)).toEqual([])
    },
    SBOM_MAX_MS,
  )
})
