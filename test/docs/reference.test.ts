import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { codesOf } from '../../src/http/problem.ts'
import { settingsSchema } from '../../src/ports/settings.ts'

const ROOT = join(import.meta.dir, '../..')
const page = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8')
/** The first cells of the rows of a page that are code. */
const namesOf = (path: string) => [...page(path).matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)

describe('reference pages are complete', () => {
  test('each error code has a row with its status', () => {
    const expected = [...codesOf()].flatMap(([status, codes]) => codes.map((code) => `${status} ${code}`))
    const rows = [...page('reference/errors.md').matchAll(/^\| (\d+) \| `(\w+)` \|/gm)]
    const found = rows.map(([, status = '', code = '']) => `${status} ${code}`)
    expect(new Set(found)).toEqual(new Set(expected))
  })

  test('each setting has a row', () => {
    const rows = ['operations/configuration.md', 'guides/oidc.md', 'guides/ldap.md']
      .flatMap((path) => page(path).split('\n'))
      .filter((line) => line.startsWith('| `'))
      .join('\n')
    expect(Object.keys(settingsSchema.shape).filter((name) => !rows.includes(`\`${name}\``))).toEqual([])
  })

  test('each warning of readyz has a row', () => {
    const files = ['src/**/service/health.ts', 'src/operations/health/service/*.ts']
    const sources = files
      .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
      .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    const codes = sources.flatMap((text) =>
      [...text.matchAll(/\bcode: '(\w+)'/g)].map(([, code = '']) => code),
    )
    expect(codes.length).toBeGreaterThan(5)
    expect(new Set(namesOf('operations/monitoring-tidemark.md'))).toEqual(new Set(['code', ...codes]))
  })
})
