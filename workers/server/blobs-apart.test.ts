import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { jsonLog } from '../json-log.ts'
import { blobsApart } from './blobs-apart.ts'
import { openBlobsDirectory } from './blobs-directory.ts'

const log = jsonLog(console.error)
const bytes = (text: string) => new TextEncoder().encode(text)

test('blobs under the prefix lie in a store of their own, and earlier blobs are still found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-apart-'))
  const main = await openBlobsDirectory(join(folder, 'main'), log)
  const apart = await openBlobsDirectory(join(folder, 'apart'), log)
  const both = blobsApart(main, 'backups/', apart)
  const textOf = async (key: string) => {
    const stored = await both.get(key)
    return stored && new Response(stored.body).text()
  }
  await main.put('backups/old', bytes('of before'))
  await both.put('backups/new', bytes('a backup'))
  await both.put('files/plan', bytes('a plan'))
  expect(await apart.list('')).toEqual(['backups/new'])
  expect(await main.list('')).toEqual(['backups/old', 'files/plan'])
  expect(await both.list('backups/')).toEqual(['backups/new', 'backups/old'])
  expect(await textOf('backups/old')).toBe('of before')
  expect(await textOf('backups/new')).toBe('a backup')
  expect(await textOf('files/plan')).toBe('a plan')
  for (const key of ['backups/old', 'backups/new']) await both.delete(key)
  expect(await both.list('')).toEqual(['files/plan'])
  expect(await textOf('backups/new')).toBeNull()
  await rm(folder, { recursive: true })
})
