import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { filesFor } from './filesystem.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-files-'))
  await mkdir(join(root, 'in'))
})
afterEach(() => rm(root, { recursive: true }))

const found = async (...patterns: string[]) =>
  (await filesFor(patterns, [{ name: 'in', path: join(root, 'in') }])).map(({ path }) => path)

/** The refused requests. */
async function refusal(...patterns: string[]): Promise<string> {
  try {
    await found(...patterns)
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
  return ''
}

test('a link counts where it leads to a file of the same directory', async () => {
  await writeFile(join(root, 'outside'), '')
  await writeFile(join(root, 'in', 'a'), '')
  await symlink(join(root, 'outside'), join(root, 'in', 'out'))
  await symlink(join(root, 'in', 'a'), join(root, 'in', 'same'))
  await symlink(join(root, 'gone'), join(root, 'in', 'broken'))
  await symlink(root, join(root, 'in', 'up'))
  expect(await found('in/*', 'in/*/*', 'in/../*', 'in/up/outside', 'in')).toEqual(['in/a', 'in/same'])
})

test('what was not opened is refused', async () => {
  expect(await refusal('etc/passwd')).toContain('has no directory etc')
  expect(await refusal('')).toContain('has no directory')
})

test('a thousand files may fit, and no more', async () => {
  for (let made = 0; made < 1_000; made++) await writeFile(join(root, 'in', String(made)), '')
  expect(await found('in/*', 'in/1*')).toHaveLength(1_000)
  await writeFile(join(root, 'in', 'one more'), '')
  expect(await refusal('in/*')).toContain('More than 1000 files')
})
